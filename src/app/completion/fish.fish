# Completion of kubectl-drain_check in fish, 3.1 and later.
function __kubectl_drain_check
    set -l typed (commandline --tokenize --cut-at-cursor --current-process)
    set -l current (commandline --current-token --cut-at-cursor)
    set -l answer (command $typed[1] __complete -- $typed[2..-1] "$current" 2>/dev/null)
    set -q answer[1]; or return
    set -l directive (string replace : '' -- $answer[-1])
    set -e answer[-1]
    # Of --flag=value the program answers with values, and fish wants the whole word.
    set -l head (string match --regex -- '^-.*?=' "$current")
    for line in $answer
        echo -- "$head$line"
    end
    if not set -q answer[1]; and test (math "bitand($directive, 4)") -eq 0
        __fish_complete_path (string replace -- "$head" '' "$current") | while read line
            echo -- "$head$line"
        end
    end
end
complete --command kubectl-drain_check --no-files --arguments '(__kubectl_drain_check)'
