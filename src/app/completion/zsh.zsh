#compdef kubectl-drain_check
# Completion of kubectl-drain_check in zsh.
_kubectl_drain_check() {
  local line directive=0
  local -a asked candidates options
  asked=("${(@Q)words[2,CURRENT]}")
  while IFS= read -r line; do
    case $line in
      :[0-9]*) directive=${line#:} ;;
      *$'\t'*) candidates+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}") ;;
      *) candidates+=("${line//:/\\:}") ;;
    esac
  done < <("${(Q)words[1]/#\~\//$HOME/}" __complete -- "${asked[@]}" 2>/dev/null)
  [[ ${words[CURRENT]} != -*=* ]] || compset -P '*='
  ((!(directive & 2))) || options=(-S '')
  if ((${#candidates})); then
    _describe -t candidates candidate candidates "${options[@]}"
  elif ((!(directive & 4))); then
    _files
  fi
}
if [[ ${zsh_eval_context[-1]} == loadautofunc ]]; then
  _kubectl_drain_check "$@"
else
  compdef _kubectl_drain_check kubectl-drain_check
fi
