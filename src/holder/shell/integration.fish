# holt: shell integration for fish, sourced by --init-command after the user's own files.
if status is-interactive; and set -q __HOLT_KEY
    set -g __holt_key $__HOLT_KEY
    set -g __holt_inbox $__HOLT_INBOX
    set -g __holt_n 0
    set -q __HOLT_N; and set -g __holt_n $__HOLT_N
    set -g __holt_open ''
    set -g __holt_command ''
    set -e __HOLT_KEY
    set -e __HOLT_INBOX
    set -e __HOLT_N
    function __holt_mark
        set -l cwd (string escape --style=url -- $PWD)
        test (string length -- "$cwd") -le 1024; or set cwd ''
        builtin printf '\e]133;%s;holt=%s;n=%s;cwd=%s%s\a' "$argv[1]" $__holt_key $__holt_n "$cwd" "$argv[2]" 2>/dev/null >/dev/tty
    end
    function __holt_begin --on-event fish_preexec
        string match -q ' __holt_take;*' -- "$argv[1]"; and return
        set -g __holt_open 1
        set -l command (string escape --style=url -- "$argv[1]")
        test (string length -- "$command") -le 2048; or set command (string sub -l 2048 -- "$command")';cut=1'
        __holt_mark C ";cmd=$command"
    end
    function __holt_end --on-event fish_postexec
        set -l last $status
        test -n "$__holt_open"; and __holt_mark "D;$last"
        set -g __holt_open ''
    end
    function __holt_prompt --on-event fish_prompt --on-event fish_cancel
        set -g __holt_n (math $__holt_n + 1)
        __holt_mark A
    end
    function __holt_take
        set -l last $status
        set -g __holt_open 1
        set -g __holt_command ''
        set -l line
        begin
            builtin read line
            builtin read -z -g __holt_command
        end 2>/dev/null <$__holt_inbox
        builtin echo -n 2>/dev/null >$__holt_inbox
        builtin printf '%s\n' "$line" 2>/dev/null >/dev/tty
        __holt_mark C ';exec=1'
        return $last
    end
    function __holt_done
        set -l last $status
        __holt_mark "D;$last"
        set -g __holt_open ''
        return $last
    end
end
