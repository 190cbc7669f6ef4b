# holt: shell integration for bash
if [[ -n ${__HOLT_KEY-} && -z ${__holt_key-} ]]; then
  __holt_key=$__HOLT_KEY __holt_inbox=${__HOLT_INBOX-} __holt_rc=${__HOLT_RC-} __holt_n=${__HOLT_N:-0} __holt_closed=1 __holt_hist=0 __holt_command= __holt_encoded=
  [[ -n ${__HOLT_EXPORTED-} ]] || declare +x PROMPT_COMMAND
  unset __HOLT_KEY __HOLT_INBOX __HOLT_N __HOLT_RC __HOLT_EXPORTED __HOLT_SCRIPT
  [[ $__holt_rc != - ]] || __holt_rc=~/.bashrc
  if [[ -n $__holt_rc && -r $__holt_rc ]]; then . "$__holt_rc"; fi
  if [[ $- == *i* ]] && (( BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404 )); then
    # Encodes as %XX what could end a mark or start another field.
    __holt_encode() {
      local LC_ALL=C text=$1
      __holt_encoded="${text:0:$2}"
      __holt_encoded=${__holt_encoded//\%/%25} __holt_encoded=${__holt_encoded//;/%3B} __holt_encoded=${__holt_encoded//$'\n'/%0A} __holt_encoded=${__holt_encoded//$'\t'/%09}
      __holt_encoded=${__holt_encoded//$'\e'/%1B} __holt_encoded=${__holt_encoded//[[:cntrl:]]/?} __holt_encoded=${__holt_encoded//$'\xc2'[$'\x80'-$'\x9f']/?}
      (( ${#text} <= $2 )) || __holt_encoded="$__holt_encoded;cut=1"
    }
    __holt_mark() {
      __holt_encode "$PWD" 1024
      [[ $__holt_encoded != *';cut=1' ]] || __holt_encoded=
      builtin printf '\e]133;%s;holt=%s;n=%s;cwd=%s\a' "$1" "$__holt_key" "$__holt_n" "$__holt_encoded${2-}" 2>/dev/null >/dev/tty || :
    }
    # In braces without stderr: `set -x` shows the user's commands, and not these.
    __holt_hook() {
      # The user's own PS0 comes below the line that shows a submitted command.
      [[ ${PS0-} == *__holt_begin* ]] || PS0="${PS0:+"\$({ __holt_show; } 2>/dev/null)$PS0"}"'$({ __holt_begin; } 2>/dev/null)'
      [[ ${HISTIGNORE-} == *__holt* ]] || HISTIGNORE="${HISTIGNORE:+$HISTIGNORE:} __holt_take*"
      local first='{ __holt_end; } 2>/dev/null' last='{ __holt_prompt; } 2>/dev/null' item kept=()
      # One string: an error in it would keep the rest from running.
      if (( BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < 501 )); then
        [[ ${PROMPT_COMMAND-} == "$last"* ]] || PROMPT_COMMAND=$last${PROMPT_COMMAND:+$'\n'$PROMPT_COMMAND}
        return 0
      fi
      local count=${#PROMPT_COMMAND[@]}
      if (( count > 1 )) && [[ ${PROMPT_COMMAND[0]-} == "$first" && ${PROMPT_COMMAND[count - 1]-} == "$last" ]]; then return 0; fi
      for item in "${PROMPT_COMMAND[@]}"; do
        [[ $item == "$first" || $item == "$last" ]] || kept+=("$item")
      done
      PROMPT_COMMAND=("$first" "${kept[@]}" "$last")
    }
    __holt_show() {
      local line
      [[ -s $__holt_inbox ]] && IFS= builtin read -r line < "$__holt_inbox" && builtin printf '%s\n' "$line" >/dev/tty
    }
    # Runs in a subshell after a line was read: the user's own commands begin here.
    __holt_begin() {
      [[ ! -s $__holt_inbox ]] || return # a submitted command: __holt_take marks it
      local line command= last=0
      line=$(HISTTIMEFORMAT= builtin history 1 2>/dev/null) || :
      [[ ! $line =~ ^\ *([0-9]+)[*\ ]\ (.*)$ ]] || { last=${BASH_REMATCH[1]}; command=${BASH_REMATCH[2]}; }
      __holt_encode "$command" 1024
      (( last >= __holt_hist )) || __holt_encoded="$__holt_encoded;repeat=1"
      __holt_mark C ";cmd=$__holt_encoded"
    }
    # __holt_end runs before the user's own hooks, __holt_prompt after them.
    __holt_end() {
      local status=$?
      [[ -n $__holt_closed ]] || __holt_mark "D;$status"
      __holt_closed=1
      [[ $- == *e* ]] || return $status
    }
    __holt_prompt() {
      local status=$?
      [[ -n $__holt_closed ]] || __holt_mark "D;$status"
      __holt_closed= __holt_hist=$HISTCMD
      (( ++__holt_n ))
      __holt_mark A
      __holt_hook
      [[ $- == *e* ]] || return $status
    }
    __holt_take() {
      local status=$? line=
      __holt_command= __holt_closed=
      { IFS= builtin read -r line; IFS= builtin read -r -d '' __holt_command; } < "$__holt_inbox" || :
      : >| "$__holt_inbox" || :
      [[ ${PS0-} == *__holt_show* ]] || builtin printf '%s\n' "$line" >/dev/tty || :
      __holt_mark C ";exec=1"
      [[ $- == *e* ]] || return $status
    } 2>/dev/null
    __holt_done() {
      local status=$?
      __holt_mark "D;$status"
      __holt_closed=1
      __holt_hook
      [[ $- == *e* ]] || return $status
    }
    PROMPT_COMMAND=${PROMPT_COMMAND//'. "$__HOLT_SCRIPT"'/:}
    __holt_hook
    # Started from PROMPT_COMMAND: the prompt that follows is the first.
    [[ -n $__holt_rc ]] || __holt_prompt
  fi
fi
