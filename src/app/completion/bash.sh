# Completion of kubectl-drain_check in bash, 3.2 and later.
_kubectl_drain_check() {
  # Bash cuts words at = and :, the program does not.
  local words=() piece glue= i
  for ((i = 1; i <= COMP_CWORD; i++)); do
    piece=${COMP_WORDS[i]}
    if ((${#words[@]})) && [[ -n $glue || $piece == [=:]* ]]; then
      words[${#words[@]} - 1]+=$piece
    else
      words+=("$piece")
    fi
    glue=
    [[ $piece != *[=:] ]] || glue=1
  done
  # What of a candidate is there already, before the last cut.
  local value=${words[${#words[@]} - 1]}
  [[ $value != -*=* ]] || value=${value#*=}
  piece=${COMP_WORDS[COMP_CWORD]}
  [[ $piece != [=:]* ]] || piece=
  local head=${value%"$piece"} line directive=0
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :[0-9]*) directive=${line#:} ;;
      *)
        line=${line%%$'\t'*}
        COMPREPLY+=("${line#"$head"}")
        ;;
    esac
  done < <("${1/#\~\//$HOME/}" __complete -- "${words[@]}" 2>/dev/null)
  if ((directive & 2)); then
    compopt -o nospace 2>/dev/null
  fi
  if ((${#COMPREPLY[@]} == 0 && !(directive & 4))); then
    compopt -o filenames 2>/dev/null
    while IFS= read -r line; do
      COMPREPLY+=("$line")
    done < <(compgen -f -- "$piece")
  fi
}
complete -F _kubectl_drain_check kubectl-drain_check
