# Completion of kubectl-drain_check in PowerShell, 5.1 and later.
Register-ArgumentCompleter -Native -CommandName 'kubectl-drain_check' -ScriptBlock {
    param($word, $ast, $cursor)
    $before = @($ast.CommandElements | Where-Object { $_.Extent.StartOffset -lt $cursor } | ForEach-Object { $_.Extent.Text })
    $words = @($before | Select-Object -Skip 1)
    if ($word -eq '') {
        # An empty argument does not reach programs before 7.3.
        $modern = $PSVersionTable.PSVersion -ge [version]'7.3' -and $PSNativeCommandArgumentPassing -ne 'Legacy'
        $words += $(if ($modern) { '' } else { '""' })
    }
    # Of --flag=value the program answers with values, and PowerShell wants the whole word.
    $head = if ($word -match '^-[^=]*=') { $Matches[0] } else { '' }
    & $before[0] __complete '--' @words 2>$null | Where-Object { $_ -notmatch '^:\d+$' } | ForEach-Object {
        $candidate, $about = $_ -split "`t", 2
        $tip = if ($about) { $about } else { $candidate }
        [System.Management.Automation.CompletionResult]::new("$head$candidate", $candidate, 'ParameterValue', $tip)
    }
}
