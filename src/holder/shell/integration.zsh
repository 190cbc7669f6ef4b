# holt: shell integration for zsh. This is the .zshenv of holt's own ZDOTDIR. It restores the user's
# ZDOTDIR at once, so that zsh finds every other file where it would without holt.
# With __HOLT_N, a running shell is integrated again: it has read its files.
if (( ! ${+__HOLT_N} )); then
  if (( ${+__HOLT_ZDOTDIR} )); then
    ZDOTDIR=$__HOLT_ZDOTDIR
    unset __HOLT_ZDOTDIR
  else
    unset ZDOTDIR
  fi
  if [[ -n ${__HOLT_NO_RCS-} ]]; then
    unset __HOLT_NO_RCS
    unsetopt rcs
  elif [[ -r ${ZDOTDIR-$HOME}/.zshenv ]]; then
    . ${ZDOTDIR-$HOME}/.zshenv
  fi
fi
if [[ -o interactive && -n ${__HOLT_KEY-} ]]; then
  typeset -g __holt_key=$__HOLT_KEY __holt_inbox=${__HOLT_INBOX-} __holt_command= __holt_encoded= __holt_open=
  typeset -gi __holt_n=${__HOLT_N:-0}
  unset __HOLT_KEY __HOLT_INBOX __HOLT_N
  # Encodes as %XX what could end a mark or start another field.
  __holt_encode() {
    emulate -L zsh
    setopt no_multibyte
    local text=$1
    __holt_encoded=${text[1,$2]}
    __holt_encoded=${__holt_encoded//\%/%25} __holt_encoded=${__holt_encoded//;/%3B} __holt_encoded=${__holt_encoded//$'\n'/%0A} __holt_encoded=${__holt_encoded//$'\t'/%09}
    __holt_encoded=${__holt_encoded//$'\e'/%1B} __holt_encoded=${__holt_encoded//[[:cntrl:]]/?} __holt_encoded=${__holt_encoded//$'\xc2'[$'\x80'-$'\x9f']/?}
    (( ${#text} <= $2 )) || __holt_encoded+=';cut=1'
  }
  __holt_mark() {
    emulate -L zsh
    __holt_encode "$PWD" 1024
    [[ $__holt_encoded != *';cut=1' ]] || __holt_encoded=
    builtin printf '\e]133;%s;holt=%s;n=%s;cwd=%s\a' "$1" "$__holt_key" "$__holt_n" "$__holt_encoded${2-}" 2>/dev/null >/dev/tty || :
  }
  # __holt_prompt runs first and __holt_begin last. Both are added again if the user's files replace the lists.
  __holt_hook() {
    emulate -L zsh
    typeset -ga precmd_functions preexec_functions zshaddhistory_functions
    [[ ${precmd_functions[1]-} == __holt_prompt ]] || precmd_functions=(__holt_prompt ${precmd_functions:#__holt_prompt})
    [[ ${preexec_functions[-1]-} == __holt_begin ]] || preexec_functions=(${preexec_functions:#__holt_begin} __holt_begin)
    [[ -n ${(M)zshaddhistory_functions:#__holt_history} ]] || zshaddhistory_functions+=(__holt_history)
  }
  __holt_history() {
    emulate -L zsh # under errexit, a false result would end the shell
    [[ $1 != ' __holt'$'\n' ]]
  }
  __holt_begin() {
    emulate -L zsh
    [[ $1 == ' __holt' || $1 == __holt ]] && return
    __holt_open=1
    __holt_encode "$1" 1024
    __holt_mark C ";cmd=$__holt_encoded"
  }
  __holt_prompt() {
    local holt_status=$?
    emulate -L zsh
    [[ -z $__holt_open ]] || __holt_mark "D;$holt_status"
    __holt_open=
    (( ++__holt_n ))
    __holt_mark A
    __holt_hook
    return 0
  }
  __holt_take() {
    local holt_status=$?
    [[ ! -o err_exit && ! -o err_return ]] || holt_status=0
    emulate -L zsh
    __holt_command= __holt_open=1
    local line=
    { IFS= builtin read -r -u 0 line; IFS= builtin read -r -d '' -u 0 __holt_command } 2>/dev/null < $__holt_inbox || :
    : 2>/dev/null >| $__holt_inbox || :
    builtin printf '%s\n' "$line" 2>/dev/null >/dev/tty || :
    __holt_mark C ';exec=1'
    return $holt_status
  }
  __holt_done() {
    local holt_status=$?
    emulate -L zsh
    __holt_mark "D;$holt_status"
    __holt_open=
    __holt_hook
  }
  alias __holt='{ __holt_take; } 2>/dev/null; { builtin eval -- "$__holt_command"; } always { { __holt_done; } 2>/dev/null; }'
  __holt_hook
fi
