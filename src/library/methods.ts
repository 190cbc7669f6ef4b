// Written by `make reference` from the protocol table: do not edit.

export interface Session {
  format: number;
  session_id: string;
  name: string | null;
  argv: string[];
  cwd: string;
  /** Names only: values are never kept. */
  env_keys: string[];
  transport_mode: "posix-pty" | "windows-conpty" | "pipe";
  tty_attached: boolean;
  /** At the start. */
  size: {
    cols: number;
    rows: number;
    width: number;
    height: number;
  } | null;
  /** After the last resize. */
  current_size: {
    cols: number;
    rows: number;
  } | null;
  project_id: string | null;
  shared: boolean;
  retention_seconds: number;
  max_output_bytes: number;
  /** RFC 3339, UTC. */
  created_at: string;
  started_at: string | null;
  process: {
    pid: number;
    start_time: number | null;
    boot_id: string | null;
  } | null;
  holder: {
    pid: number;
    start_time: number | null;
    boot_id: string | null;
  };
  socket: string | null;
  holt_version: string;
  /** The attempt before this one. */
  previous_session_id: string | null;
  /** The attempt after it. */
  next_session_id: string | null;
  restart: {
    when: "on_failure" | "always";
    /** In a row; null: without end. */
    max_restarts: number | null;
    delay_ms: number;
    count: number;
    in_a_row: number;
    starts_at: string | null;
  } | null;
  limits: {
    cpu_ms: number | null;
    memory_bytes: number | null;
    files: number | null;
    processes: number | null;
    file_size_bytes: number | null;
    session_memory_bytes: number | null;
    session_processes: number | null;
  } | null;
  /** What the command leaves running when it ends may go on. */
  linger: boolean;
  /** After so long it is ended; null: never. */
  timeout_ms: number | null;
  /** After so long without output, input or anybody who comes and goes; null: never. */
  idle_timeout_ms: number | null;
  /** For those who are attached; null: as usual. */
  client_rules: {
    input: "shared" | "lease";
    size_rule: "smallest" | "latest" | "largest" | "fixed";
    max_clients: number;
  } | null;
  /** The program that asked for it; null: the person at the command line. */
  started_by: {
    pid: number;
    start_time: number | null;
    boot_id: string | null;
    label: string;
  } | null;
  /** Those beside what it prints. */
  channels: ({
    name: string;
    format: "raw" | "lines" | "json" | "jsonl";
    source: "fd" | "file" | "socket" | "structured";
    path: string | null;
  })[];
  state: "starting" | "running" | "exited" | "signaled" | "failed" | "expired";
  reason: "completed" | "stop_requested" | "kill_requested" | "timeout" | "idle_timeout" | "limit_exceeded" | "spawn_failed" | "holder_lost" | "daemon_shutdown" | null;
  exit_code: number | null;
  signal: string | null;
  ended_at: string | null;
  duration_ms: number | null;
  output_bytes: number;
  output_complete: boolean | null;
  /** Bytes sent to the command that it had not read when it ended, as far as that can be told; null while it lives, or where a secret may be among them. */
  input_unread: number | null;
  truncated: boolean;
  usage: {
    cpu_ms: number;
    cpu_user_ms: number;
    cpu_system_ms: number;
    max_rss_kb: number;
  } | null;
  error: {
    code: string;
    message: string;
  } | null;
  /** Processes that still run after the end: a lost holder left them, they linger, or nothing could end them. */
  survivors: number[];
  /** Lives, but has not printed, read input or used the processor for long. */
  quiet: boolean;
  quiet_since: string | null;
  /** In a list: argv or env_keys are too long for one, and cut short; session.get has all of them. */
  abridged?: true;
}

export type BySession = {
  /** The exact id of a session. */
  session_id: string;
};

export type ByTerminal = {
  /** The exact id of a session. */
  id: string;
};

export type Size = {
  cols: number;
  rows: number;
};

export type Channel = {
  name: string;
  /** How it is given back. */
  format?: "raw" | "lines" | "json" | "jsonl";
  /** Fd: a descriptor, HOLT_CHANNEL_NAME_FD; file: what is added to path, HOLT_CHANNEL_NAME_PATH; socket: a unix socket, HOLT_CHANNEL_NAME_SOCKET; structured: stdout itself, parsed. */
  source?: "fd" | "file" | "socket" | "structured";
  /** Of a file: absolute, or relative to cwd. */
  path?: string | null;
};

export type Command = Surroundings & {
  /** A line for the shell: $SHELL of its environment, else /bin/sh. */
  command?: string;
  /** A command and its arguments instead; no shell reads them. */
  args?: string[];
  /** All that it reads: a text, or bytes as {data} in base64, of up to 4194304 bytes; false: nothing; true: what session.send brings, which takes a yield_ms or a command in the background. */
  stdin?: boolean | string | {
    data: string;
  };
  /** Channels beside stdout and stderr, captured under their names. */
  channels?: Channel[];
  name?: string | null;
  project_id?: string | null;
  /** How long the session is kept after its end. */
  retention_seconds?: number;
  /** An id of your own; it must not be taken. Who calls again because the answer was lost runs nothing twice. */
  session_id?: string | null;
};

export type Surroundings = {
  /** Absolute; the home directory of the daemon's user without it. */
  cwd?: string;
  /** Variables for the command; null: not set. */
  env?: Record<string, string | null>;
  /** Clean, inherit: nothing but what is given (inherit: all of the caller's own); project: over what every command needs (PATH, HOME, LANG …). */
  env_mode?: "clean" | "project" | "inherit";
};

export type CommandStatus = Outcome & {
  started_at: string | null;
  ended_at: string | null;
  /** Printed so far: the cursor at its end. */
  output_bytes: number;
};

export type Outcome = {
  session_id: string;
  /** Running: it goes on; exec.output has the rest. */
  state: "starting" | "running" | "exited" | "signaled" | "failed" | "expired";
  exit_code: number | null;
  signal: string | null;
  reason: "completed" | "stop_requested" | "kill_requested" | "timeout" | "idle_timeout" | "limit_exceeded" | "spawn_failed" | "holder_lost" | "daemon_shutdown" | null;
  /** It was ended, with everything that it started, when its time was up. */
  timed_out: boolean;
  /** Until its end, or so far. */
  duration_ms: number;
};

export type Page = {
  /** Where to go on reading: exec.output, session.read. */
  next_cursor: string;
  /** Not all that it printed is here: the rest is at next_cursor, or, where nothing is, was not kept. */
  truncated: boolean;
};

export type OutputNotice = SessionNotice & {
  channel: string | null;
  cursor: string;
  next_cursor: string;
  timestamp: string | null;
  data: string;
  /** These bytes were not kept: `data` is empty. */
  truncated: boolean;
};

export type EndNotice = SessionNotice & {
  state: "starting" | "running" | "exited" | "signaled" | "failed" | "expired";
  reason: "completed" | "stop_requested" | "kill_requested" | "timeout" | "idle_timeout" | "limit_exceeded" | "spawn_failed" | "holder_lost" | "daemon_shutdown" | null;
  exit_code: number | null;
  signal: string | null;
  cursor: string;
};

export type SessionNotice = {
  subscription_id: string;
  session_id: string;
};

export type TerminalNotice = {
  subscription_id: string;
  id: string;
};

/** What each method takes and answers. Cursors are byte offsets as decimal strings, bytes are base64, times RFC 3339. */
export interface Methods {
  /** Start a command in the background; answers once the outcome of the spawn is known. */
  "session.start": {
    params: Surroundings & {
      /** The command and its arguments. */
      argv?: string[];
      /** The same as bytes, which need not be UTF-8. */
      argv_base64?: string[];
      /** A line for the shell, instead of argv: $SHELL of its environment, else /bin/sh; "" on a terminal is the shell itself. */
      command?: string;
      /** KEY=VALUE entries as bytes: the whole environment. */
      env_base64?: string[];
      /** Its terminal's size; false: pipes. */
      pty?: false | Size;
      name?: string | null;
      /** An id of your own; it must not be taken. */
      session_id?: string | null;
      project_id?: string | null;
      /** How long it is kept after its end; sessions.retention_seconds without it. */
      retention_seconds?: number;
      /** How much of its output is kept; sessions.max_output_bytes without it. */
      max_output_bytes?: number;
      timeout_ms?: number | null;
      /** It ends after so long without output, input, or a client that comes, goes or resizes it; null: never. Without it pty.idle_ttl_seconds or timeouts.idle_ms, else 15 minutes for a terminal started over HTTP. */
      idle_timeout_ms?: number | null;
      /** So many may be attached at once; pty.max_clients without it. */
      max_clients?: number;
      /** An attached client that takes nothing is let go after slow_client_ms, or kept and brought up to date later. */
      slow_client?: "close" | "resync";
      /** Pty.slow_client_ms without it. */
      slow_client_ms?: number;
      /** Of those attached, whose size counts. */
      size_rule?: "smallest" | "latest" | "largest" | "fixed";
      /** Who may type: all, or one at a time. */
      input?: "shared" | "lease";
      /** With pty: false, all that it reads from its stdin: a text, bytes as {data} in base64, or false for none; without it, stdin stays open for session.send. */
      stdin?: false | string | {
        data: string;
      };
      /** What the command, and each process that it starts, may use at most. */
      limits?: {
        /** Of processor time; the kernel counts whole seconds, and part of one as one. */
        cpu_ms?: number | null;
        /** Of addresses, used or not. */
        memory_bytes?: number | null;
        /** Open at once. */
        files?: number | null;
        /** Of the user's, in all sessions and outside of them. */
        processes?: number | null;
        /** Of any file that it writes. */
        file_size_bytes?: number | null;
        /** In use by the whole session; past it all of it is ended. Needs cgroup v2 (holt doctor). */
        session_memory_bytes?: number | null;
        /** Of the whole session at once, threads included. Needs cgroup v2 (holt doctor). */
        session_processes?: number | null;
      } | null;
      /** Channels beside stdout and stderr, captured under their names. */
      channels?: Channel[];
      /** What the command leaves running when it ends may go on. */
      linger?: boolean;
      /** Whether it is started again when it ends. */
      restart?: {
        when: "on_failure" | "always";
        /** In a row; null: without end. */
        max_restarts?: number | null;
        /** Before the first of them; it doubles. */
        delay_ms?: number;
      } | null;
      /** Let an interactive bash, zsh or fish on a terminal tell of its commands: session.exec needs it. */
      shell_integration?: boolean;
      umask?: number;
      /** The soft limit on open files; without it that which the daemon was started with. */
      open_files?: number;
      /** What a process inherits beside its environment; where the daemon's differ it answers EBUSY with details.cold. */
      circumstances?: string;
    };
    result: Session;
  };
  /** List sessions, the newest first. */
  "session.list": {
    params: {
      states?: ("starting" | "running" | "exited" | "signaled" | "failed" | "expired")[];
      name?: string;
      project_id?: string;
      limit?: number;
      /** How many to pass over: the next page. */
      offset?: number;
    };
    result: {
      sessions: Session[];
      /** How many there are, listed or not. */
      total_count: number;
    };
  };
  /** Get everything about one session. */
  "session.get": {
    params: BySession;
    result: Session;
  };
  /** Read output from a cursor on: raw bytes, lines of text (the end, matches, what fits), or the screen. */
  "session.read": {
    params: BySession & {
      /** Raw: bytes as they were printed; text: lines without escape sequences, redrawn ones as they ended; screen: what the terminal shows. */
      view?: "raw" | "text" | "screen";
      /** Go on with next_cursor; of text, the lines that end past it; of a long one, what follows it. */
      cursor?: string;
      /** Nothing past it; of text, and of a line that goes through it what comes before. */
      until?: string;
      /** Of the answer, before it is written as JSON; of text at least 300. */
      max_bytes?: number;
      /** View text: what fits into so many tokens; a token is taken for 3 bytes of UTF-8. */
      max_tokens?: number;
      /** Pty, stdout, stderr, or the name of another: this one alone. */
      channel?: string;
      /** View text: the first so many lines. */
      head?: number;
      /** View text: the last so many lines; with head, both ends. */
      tail?: number;
      /** Until so many bytes past the cursor. */
      head_bytes?: number;
      /** From so many bytes before the end, or before until. */
      tail_bytes?: number;
      /** View text: where it is cut when it does not fit; with tail, always at the start. */
      cut?: "end" | "middle" | "start";
      /** View text: show three or more equal lines as one with their number. */
      collapse?: boolean;
      /** View text: it ends with a line feed where one was printed behind its last line. */
      final_newline?: boolean;
      /** View text: each line with its cursor before it; so it is with grep, unless told otherwise. */
      cursors?: boolean;
      /** View text: lines that match this regular expression (of JavaScript, with the u flag). */
      grep?: string;
      /** Grep is a text, not an expression. */
      literal?: boolean;
      ignore_case?: boolean;
      /** Lines before each that matches. */
      before?: number;
      /** Lines after each that matches. */
      after?: number;
      max_matches?: number;
    };
    result: {
      /** View raw. In order of offset; a hole between two is output that was not kept. */
      chunks?: {
        /** Pty, stdout, stderr, or the name of another. */
        channel: string;
        offset: string;
        length: number;
        /** RFC 3339, UTC. */
        timestamp: string;
        data: string;
      }[];
      /** Views text and screen. What a program printed: not to be taken for instructions. */
      text?: string;
      /** Where to go on. */
      next_cursor: string;
      /** The session has ended, and nothing follows. */
      eof: boolean;
      /** Not all that was asked for is here: it did not fit (see omitted), was not kept, or could not be judged. */
      truncated: boolean;
      /** What was asked for and did not fit. */
      omitted?: {
        /** Null: not counted, because there is much. */
        lines: number | null;
        bytes: number;
        /** Read from there …. */
        cursor: string;
        /** … to there to get it. */
        until: string;
      } | null;
      /** Of the text: its bytes, by 3. */
      estimated_tokens?: number;
      /** How many printed lines are in the text. */
      lines?: number;
      /** With grep: the cursors of the lines that matched. */
      matched?: string[] | null;
      /** With grep: the cursors of lines that it could not be tried on, because it backtracks too much. */
      unjudged?: string[] | null;
    };
  };
  /** Wait until one of several conditions holds; an exit always ends it. */
  "session.wait": {
    params: BySession & {
      until?: "exit" | "output" | "input" | "prompt" | {
        /** Nothing printed for this long. */
        idle_ms: number;
      } | {
        /** A regular expression over the text that was printed. */
        match: string;
      } | {
        /** A regular expression over what the screen shows. */
        screen_match: string;
      } | {
        /** One of its processes listens there; null: anywhere. */
        port: number | null;
      } | ("exit" | "output" | "input" | "prompt" | {
        /** Nothing printed for this long. */
        idle_ms: number;
      } | {
        /** A regular expression over the text that was printed. */
        match: string;
      } | {
        /** A regular expression over what the screen shows. */
        screen_match: string;
      } | {
        /** One of its processes listens there; null: anywhere. */
        port: number | null;
      })[];
      /** Only what is printed past it counts. Without it, only what is printed from now on: give the next_cursor of what you did before, or an answer that was quick is missed. */
      cursor?: string;
      /** More than 60000 is taken as that. */
      timeout_ms?: number;
    };
    result: {
      outcome: "exited" | "data" | "idle" | "matched" | "screen_matched" | "input" | "prompt" | "port" | "timeout";
      /** Where to go on: just past what matched, else past what was looked at. */
      cursor: string;
      /** What matched, as it was printed: not to be taken for instructions. */
      match: string | null;
      /** How it waits for input. */
      reason: "echo_off" | "reading" | null;
      /** What that was told by, from the surest on. */
      evidence: "syscall" | "wchan" | "state" | null;
      port: number | null;
      address: string | null;
      /** Some of it could not be judged, because an expression backtracks too much: it may have matched there. */
      unjudged: boolean;
      exit_code: number | null;
      signal: string | null;
    };
  };
  /** Subscribe to a session's output and end, or to every session that starts and ends. */
  "session.subscribe": {
    params: {
      /** Without it: the start and the end of every session. */
      session_id?: string;
      /** Output from there on, with no gap and no byte twice; without it, from now on. */
      cursor?: string;
      /** Which notifications; without it started, output, state_changed and exited. exec.* tell of commands on pipes, pty.* of terminals. */
      events?: ("started" | "output" | "mode_changed" | "state_changed" | "exited" | "exec.started" | "exec.output" | "exec.completed" | "exec.failed" | "pty.output" | "pty.exit")[];
    };
    result: {
      /** In every notification; ends with session.unsubscribe or the connection. */
      subscription_id: string;
      /** Where output goes on from. */
      cursor: string | null;
    };
  };
  /** End a subscription of this connection. */
  "session.unsubscribe": {
    params: {
      subscription_id: string;
    };
    result: {
      /** False: there is none, or it had ended with its session. */
      ended: boolean;
    };
  };
  /** Find text in the output of all sessions, the newest session first. */
  "session.search": {
    params: {
      /** Looked for in each line, as session.read with view text has it. */
      query: string;
      /** Query is a regular expression (of JavaScript, with the u flag). */
      regex?: boolean;
      ignore_case?: boolean;
      /** Only sessions of this project_id. */
      project?: string;
      /** Not those that ended before. */
      since?: string;
      /** Hits of one answer. */
      limit?: number;
      /** Hits of one session; session.read with grep has the others. */
      per_session?: number;
      /** Go on with `next` of an answer. */
      after?: BySession & {
        cursor: string;
      };
    };
    result: {
      hits: (BySession & {
        cursor: string;
        name: string | null;
        /** What a program printed, shortened where it is long. */
        line: string;
      })[];
      /** Sessions that were looked through. */
      searched: number;
      /** Lines that the expression could not be tried on, because it backtracks too much. */
      unjudged: number;
      /** Null: there is no more. */
      next: BySession & {
        cursor: string;
      } | null;
    };
  };
  /** Export a session as a recording, text or HTML: in the answer if it is small, else in a file. */
  "session.export": {
    params: BySession & {
      format?: "asciicast" | "asciicast-v2" | "text" | "html";
      /** The first byte of it. */
      cursor?: string;
      /** The first byte that is left out; all there is now without it. */
      until?: string;
      /** A file that is not there yet, below one of the roots (`fs.roots`): it appears when it is complete. Without it the answer has the content. */
      path?: string;
      /** As much of it as fits, up to next_cursor: go on with that as the cursor. Such parts, from cursor 0 on, are together the whole, but for a line of text that takes back what it printed and is longer than a part; of asciicast and text. */
      part?: boolean;
      /** Of the content, 1 MiB at most; more is ERLIMIT. */
      max_bytes?: number;
    };
    result: {
      format: "asciicast" | "asciicast-v2" | "text" | "html";
      /** Null where it is in a file. */
      content: string | null;
      path: string | null;
      /** Of UTF-8. */
      bytes: number;
      cursor: string;
      until: string;
      /** Of a part, where the next one begins; null: that was all. */
      next_cursor: string | null;
      /** Of the output: they were not kept. */
      missing_bytes: number;
    };
  };
  /** Type into a session. */
  "session.send": {
    params: BySession & {
      /** As it is, of up to 2 MiB; a line ends with \n, a key Enter is \r. */
      text?: string;
      /** Bytes, in base64, of up to 2 MiB. */
      data?: string;
      /** By name: ["ctrl-c", "up", "enter"]; they follow the terminal's modes. */
      keys?: string[];
      /** As pasted, of up to 2 MiB: bracketed where the program asked for that. */
      paste?: string;
      /** A password or the like, as it is, of up to 4000 bytes. At a terminal only while that shows nothing of a line (session.wait "input" says echo_off); not even its length is kept. */
      secret?: string;
      /** Then the end of its input: on pipes its stdin is closed, at a terminal the key for it is sent. */
      eof?: boolean;
      /** Take the keyboard, where one client alone may type. */
      takeover?: boolean;
    };
    result: {
      bytes_written: number;
      /** Where its output stood when that was typed: what is printed in answer is past it. */
      next_cursor: string;
    };
  };
  /** Run a command in the live shell that a session is, and answer with its output and exit code; the shell's state stays. */
  "session.exec": {
    params: BySession & {
      /** As typed at the prompt; it may have several lines, and nothing of it is altered on its way. */
      command: string;
      /** Not done by then: outcome "running", and it goes on. More than 60000 is taken as that. */
      timeout_ms?: number;
      /** Of its output; session.read has the rest. */
      max_bytes?: number;
      /** Take the keyboard, where one client alone may type. */
      takeover?: boolean;
    };
    result: {
      /** "session_ended": the shell exited in it. "replaced": it became another program (exec). */
      outcome: "done" | "running" | "session_ended" | "replaced";
      /** 130 after ctrl-c; null while it runs. */
      exit_code: number | null;
      /** Where the shell is now. */
      cwd: string | null;
      /** RFC 3339, UTC. */
      started_at: string;
      ended_at: string | null;
      duration_ms: number | null;
      /** Its output, with "\r\n" as "\n"; what is no UTF-8 is U+FFFD. */
      text: string;
      /** Its output as the terminal was sent it: "\n" is "\r\n" there. */
      data: string;
      output_start: string;
      /** While it runs: so far. */
      output_end: string;
      /** Where to go on reading. */
      next_cursor: string;
      /** There is more than max_bytes, or some of it was not kept. */
      truncated: boolean;
    };
  };
  /** List the commands run in an integrated shell, typed or by session.exec, also after its end. */
  "session.commands": {
    params: BySession & {
      /** The newest. */
      limit?: number;
    };
    result: {
      /** Null: the session is no integrated shell. */
      shell: "bash" | "zsh" | "fish" | null;
      /** In their order. */
      commands: ({
        number: number;
        /** Null: bash was told not to remember that line. */
        command: string | null;
        command_cut: boolean;
        by: "exec" | "typed";
        cwd: string | null;
        /** RFC 3339, UTC. */
        started_at: string;
        /** Null while it runs. */
        ended_at: string | null;
        duration_ms: number | null;
        exit_code: number | null;
        output_start: string;
        output_end: string | null;
      })[];
    };
  };
  /** Get the socket and first frames to attach to a session's terminal: its screen, later output, and keys. */
  "session.attach": {
    params: BySession & {
      /** Viewer: what it types is refused. */
      role?: "driver" | "viewer";
      /** What comes first: the screen rebuilt, the last bytes, nothing. */
      replay?: "screen" | "raw" | "none";
      /** With replay "none": output from there on, as after a lost connection. */
      cursor?: string;
      /** Of the client's terminal; null: it has no say in the session's size. */
      size?: Size | null;
      /** Lines above the screen. */
      scrollback?: number;
      /** With replay "raw": so many of the last bytes; pty.scrollback_bytes without it. */
      scrollback_bytes?: number;
      detach_others?: boolean;
      /** Take the keyboard, where one client alone may type. */
      takeover?: boolean;
      /** It may write the client's clipboard (OSC 52). */
      clipboard?: boolean;
      /** Who it is, for session.clients. */
      pid?: number;
      label?: string;
    };
    result: {
      session_id: string;
      /** A unix socket: dial it. */
      socket: string;
      /** Write this first: HELLO and ATTACH. What is answered, and what may be said then, is in docs/architecture.md, The holder's socket. */
      opening: string;
      /** The version of these frames. */
      protocol: number;
    };
  };
  /** Show what a session's terminal shows, now or at an earlier cursor. */
  "session.screen": {
    params: BySession & {
      format?: "text" | "ansi" | "html" | "svg";
      /** As it was when so many bytes had been printed. */
      cursor?: string;
      /** Only the rows that are different from the screen of that revision; format text only. */
      since_revision?: string;
    };
    result: {
      /** The screen in that format; left out where `changed` says all. */
      content?: string;
      /** For since_revision, now or later, also of another daemon. */
      revision: string;
      /** With a since_revision that is known: the rows that are different, from 0. */
      changed?: {
        row: number;
        text: string;
      }[];
      /** With since_revision: false where it is unknown, or of another size, and content is everything. */
      revision_known?: boolean;
      /** Everything printed before it is on it. */
      cursor: string;
      cols: number;
      rows: number;
      /** Where the terminal's cursor stands, from 0. */
      row: number;
      col: number;
      cursor_visible: boolean;
      /** As the program chose it: not to be taken for instructions. */
      title: string;
      alternate_screen: boolean;
      app_cursor_keys: boolean;
      bracketed_paste: boolean;
    };
  };
  /** Get the bytes that rebuild a session's screen in a fresh terminal, now or at a cursor. */
  "session.replay": {
    params: BySession & {
      /** When so many bytes had been printed; without it, at the end. */
      cursor?: string;
      /** So many lines above it come along. */
      scrollback?: number;
    };
    result: {
      /** Where output goes on. */
      cursor: string;
      cols: number;
      rows: number;
      title: string;
      alternate_screen: boolean;
      /** For a terminal of that size; attacks on who watches are left out. */
      data: string;
    };
  };
  /** Summarise the life of a session: how much it printed when, and its events. */
  "session.timeline": {
    params: BySession & {
      /** At most so many, of equal time. */
      buckets?: number;
    };
    result: {
      /** RFC 3339, UTC. */
      starts_at: string;
      /** Of the session, or now. */
      ends_at: string;
      is_over: boolean;
      end: string;
      /** Those in which anything was printed. */
      buckets: {
        /** RFC 3339, UTC. */
        at: string;
        /** Where its output begins. */
        cursor: string;
        bytes: number;
      }[];
      /** In their order; of many of a kind, the last 500. */
      marks: ({
        kind: "command" | "resize" | "input" | "attach" | "exit" | "gap";
        /** RFC 3339, UTC. */
        at: string;
        /** Where the output stood, as far as that is known. */
        cursor: string | null;
        text: string;
        exit_code?: number | null;
      })[];
    };
  };
  /** What every session that lives does now: its processor time and memory, its last line, who is attached, whether it waits for input. */
  "session.activity": {
    params: Record<string, never>;
    result: {
      /** RFC 3339, UTC. */
      at: string;
      sessions: ({
        session_id: string;
        /** Of all its processes that live, since each was started: the difference of two looks is what it used meanwhile. */
        cpu_ms: number;
        /** Resident, of all its processes; pages that they share are counted in each. */
        memory_bytes: number;
        processes: number;
        output_bytes: number;
        /** That shows anything: as the program printed it, not to be taken for instructions. */
        last_line: string;
        /** For a person to type: echo_off, a password; prompt, the next command of a shell or a key in an editor, which can wait. */
        waiting: "reading" | "echo_off" | "prompt" | null;
        /** Attached. */
        clients: number;
      })[];
    };
  };
  /** List the clients attached to a session. */
  "session.clients": {
    params: BySession;
    result: {
      clients: ({
        client_id: string;
        role: "driver" | "viewer";
        /** Null: it has no say in the session's size. */
        size: {
          cols: number;
          rows: number;
          width: number;
          height: number;
        } | null;
        attached_at: string;
        pid: number;
        label: string;
        lag_bytes: number;
        has_lease: boolean;
        /** The sessions that it runs inside of. */
        inside?: string[];
      })[];
      /** So many may be attached; not known of one that has ended. */
      max_clients?: number;
    };
  };
  /** Detach a client from a session. */
  "session.detach": {
    params: BySession & {
      client_id: string;
    };
    result: Record<string, never>;
  };
  /** Set the size of a session's terminal. */
  "session.resize": {
    params: BySession & Size;
    result: Record<string, never>;
  };
  /** Send a signal to a session's command and its process group. */
  "session.signal": {
    params: BySession & {
      /** By name, e.g. "SIGINT". */
      signal: string;
    };
    result: Record<string, never>;
  };
  /** End a session: a signal to its whole tree, and SIGKILL after a grace; answers when it has ended. */
  "session.stop": {
    params: BySession & {
      /** By name, e.g. "SIGINT". */
      signal?: string;
      grace_ms?: number;
    };
    result: Session;
  };
  /** SIGKILL to a session's whole tree, at once; answers when it has ended. */
  "session.kill": {
    params: BySession;
    result: Session;
  };
  /** Remove an ended session and its output. */
  "session.remove": {
    params: BySession;
    result: Record<string, never>;
  };
  /** Give a session a name, or take it away. */
  "session.rename": {
    params: BySession & {
      name: string | null;
    };
    result: Record<string, never>;
  };
  /** Run a command to its end: strict arguments, no shell, an empty environment, bytes in and out. */
  "shell.run": {
    params: {
      /** The command and its arguments; no shell reads them. */
      argv: string[];
      /** Absolute; the home directory of the daemon's user without it. */
      cwd?: string;
      /** All of its environment; where policy.allow names commands, with the daemon's PATH if it has none. */
      env?: Record<string, string | null>;
      timeout_ms?: number;
      /** All that it reads. */
      stdin?: string;
      /** Of both streams together in the answer; the session has all. */
      max_bytes?: number;
    };
    result: Page & {
      /** The exit code; 128 and the number of the signal that ended it. */
      rc: number;
      signal: string | null;
      stdout: string;
      stderr: string;
      /** Until its end, or so far. */
      duration_ms: number;
      cwd: string;
      usage: {
        cpu_ms: number;
        max_rss_kb: number;
      } | null;
      /** It was ended, with everything that it started, when its time was up. */
      timed_out: boolean;
      session_id: string;
    };
  };
  /** Run a command and answer with its result; one that is not done by yield_ms runs on. */
  "exec.run": {
    params: Command & {
      /** Then its whole tree is ended: SIGTERM, a grace, SIGKILL. */
      timeout_ms?: number;
      /** Answer by then at the latest, with state "running" if it is so. */
      yield_ms?: number;
      /** Streaming: answer as soon as it runs; read it with exec.output as it comes. */
      output_mode?: "buffered" | "streaming";
      /** A canceled call, or a connection that closes, does not end it. */
      detached?: boolean;
      /** Of all channels together in the answer. */
      max_bytes?: number;
      /** Text: what is no UTF-8 becomes U+FFFD; base64: the bytes. */
      encoding?: "text" | "base64";
    };
    result: Outcome & Page & {
      cwd: string;
      /** What it printed, in the chosen encoding, and what it said on channels of its own, parsed as their format says. */
      channels: {
        stdout: string;
        stderr: string;
      };
      /** Channels that could not be parsed, and are text, and why. */
      channel_errors: Record<string, string>;
      /** False: something that it left running still held its output open. */
      output_complete: boolean | null;
      usage: {
        cpu_ms: number;
        max_rss_kb: number;
      } | null;
      /** What stdout says, where all of it is here, of up to 256 KiB, and is data beyond doubt. */
      structured: {
        format: "json" | "jsonl" | "yaml" | "toml";
        data: unknown;
      } | null;
    };
  };
  /** Start a command and answer once it runs. */
  "exec.run_background": {
    params: Command & {
      /** Then its whole tree is ended. */
      timeout_ms?: number | null;
      /** Notifications to this connection: exit as exec.completed or exec.failed, output as exec.output from the beginning on, timeout as exec.failed. */
      notify_on?: ("exit" | "output" | "timeout")[];
    };
    result: {
      session_id: string;
      /** Running: it goes on; exec.output has the rest. */
      state: "starting" | "running" | "exited" | "signaled" | "failed" | "expired";
      started_at: string | null;
      next_cursor: string;
      /** In each of its notifications; ends with the command, session.unsubscribe or the connection. */
      subscription_id: string | null;
    };
  };
  /** Report whether a command still runs, or how it ended. */
  "exec.status": {
    params: BySession;
    result: CommandStatus;
  };
  /** End a command and everything that it started; answers when it has ended. */
  "exec.cancel": {
    params: BySession & {
      /** Between SIGTERM and SIGKILL; 5000 unless told. */
      grace_ms?: number;
    };
    result: CommandStatus;
  };
  /** Read what a command printed from a cursor on, by channel. */
  "exec.output": {
    params: BySession & {
      /** This one alone. */
      channel?: string;
      /** Go on with next_cursor. */
      cursor?: string;
      max_bytes?: number;
      /** Where there is nothing yet, wait so long for something. */
      wait_ms?: number;
      /** Text: what is no UTF-8 becomes U+FFFD; base64: the bytes. */
      encoding?: "text" | "base64";
    };
    result: Outcome & Page & {
      /** What it printed, by channel: stdout and stderr; in the chosen encoding. */
      channels: Record<string, string>;
      /** It has ended, and nothing follows. */
      eof: boolean;
    };
  };
  /** Start a program on a terminal, with only the environment in the call. */
  "pty.open": {
    params: Surroundings & {
      /** The program and its arguments; the user's shell without it. */
      argv?: string[];
      rows?: number;
      cols?: number;
      /** Of its whole life. */
      timeout_ms?: number | null;
      /** It ends after so long without output, input, or a client that comes, goes or resizes it; null: never. Without it pty.idle_ttl_seconds or timeouts.idle_ms, else 15 minutes for a terminal started over HTTP. */
      idle_timeout_ms?: number | null;
    };
    result: {
      id: string;
      started_at: string;
    };
  };
  /** Type bytes into a terminal. */
  "pty.send": {
    params: ByTerminal & {
      /** Of up to 2 MiB. */
      data: string;
    };
    result: {
      bytes_written: number;
      /** Where its output stood when that was typed: as a number, the since_seq for the answer. */
      next_cursor: string;
    };
  };
  /** Read what a terminal printed after a seq; waits for output. */
  "pty.read": {
    params: ByTerminal & {
      /** The seq of the last chunk seen. */
      since_seq?: number;
      max_bytes?: number;
      /** Where there is nothing yet, wait so long for something. */
      timeout_ms?: number;
      /** Without escape sequences; one that has only begun is left for the next read. */
      strip_ansi?: boolean;
    };
    result: {
      chunks: ({
        /** The cursor just past it. */
        seq: number;
        /** Stdout, but for the stderr of a command on pipes. */
        stream: "stdout" | "stderr";
        data: string;
        ts: string;
      })[];
      /** It has ended, and nothing follows. */
      closed: boolean;
    };
  };
  /** Set the size of a terminal. */
  "pty.resize": {
    params: ByTerminal & Size;
    result: Record<string, never>;
  };
  /** Send a signal to the process group of a terminal's program; a shell's job gets a key. */
  "pty.signal": {
    params: ByTerminal & {
      signal: "INT" | "TERM" | "HUP" | "KILL" | "QUIT";
    };
    result: Record<string, never>;
  };
  /** Hang up a terminal and end its whole tree; answers with its end, also of one that has ended. */
  "pty.close": {
    params: ByTerminal;
    result: {
      /** The exit code; 128 and the number of the signal that ended it. */
      rc?: number;
      duration_ms?: number;
    };
  };
  /** Write a whole file at once: a reader sees the old one or the new one. */
  "fs.write_file": {
    params: {
      /** Absolute, below one of the roots (`fs.roots`) and not holt's own; symlinks are followed only where they stay below it. */
      path: string;
      /** Of up to 4194304 bytes. */
      data: string;
      /** Octal; without it that of the file that is there, or "0644". */
      mode?: string;
    };
    result: {
      bytes: number;
    };
  };
  /** Read the bytes of a file, or a range of them. */
  "fs.read_file": {
    params: {
      /** Absolute, below one of the roots (`fs.roots`) and not holt's own; symlinks are followed only where they stay below it. */
      path: string;
      offset?: number;
      max_bytes?: number;
    };
    result: {
      data: string;
      /** Of the whole file. */
      size: number;
      offset: number;
      /** More follows, from offset and the length of data on. */
      truncated: boolean;
      /** Octal, e.g. "0644". */
      mode: string;
    };
  };
  /** List the entries of a directory, by name. */
  "fs.list": {
    params: {
      /** Absolute, below one of the roots (`fs.roots`) and not holt's own; symlinks are followed only where they stay below it. */
      path: string;
      /** How many to pass over: the next page. */
      offset?: number;
      limit?: number;
    };
    result: {
      entries: ({
        name: string;
        type: "file" | "dir" | "link" | "other";
        /** Octal, e.g. "0644". */
        mode: string;
        size: number;
      })[];
      total_count: number;
      /** There are more, past offset and the number of entries. */
      truncated: boolean;
    };
  };
  /** Serve HTTP, WebSocket, MCP and the page, on loopback unless the configuration says otherwise. */
  "web.start": {
    params: {
      /** 0: any that is free. Without it that of http.listen, or 4658, or any that is free. */
      port?: number;
    };
    result: {
      /** Of the page; what is below /api/v1/ is beside it. */
      url: string;
      address: string;
      port: number;
      tls: boolean;
      was_running: boolean;
    };
  };
  /** Stop serving HTTP; sessions and other connections do not notice. */
  "web.stop": {
    params: Record<string, never>;
    result: {
      was_running: boolean;
    };
  };
  /** Make a link that opens the page once: all of it, or one session to watch or drive. */
  "web.ticket": {
    params: {
      /** Without it, everything. */
      session_id?: string;
      /** With session_id. */
      role?: "driver" | "viewer";
      /** Until it is used. */
      expires_in_seconds?: number;
      /** What it is exchanged for ends then; without it, after a week. */
      grants_seconds?: number;
    };
    result: {
      /** Token.revoke takes it back, also after it was used. */
      token_id: string;
      ticket: string;
      /** Null where HTTP is not served. */
      url: string | null;
      /** RFC 3339, UTC. */
      expires_at: string;
    };
  };
  /** Make a token with which a program may watch or drive one session over HTTP and WebSocket. */
  "token.create": {
    params: BySession & {
      /** Viewer: watches; driver: types too. */
      role?: "driver" | "viewer";
      /** Without it, with the session. */
      expires_in_seconds?: number;
    };
    result: {
      token_id: string;
      /** Told this once: what is kept is its hash. */
      token: string;
      session_id: string;
      /** Viewer: watches; driver: types too. */
      role: "driver" | "viewer";
      expires_at: string | null;
    };
  };
  /** List the keys, without their secrets. */
  "token.list": {
    params: {
      /** The exact id of a session. */
      session_id?: string;
    };
    result: {
      tokens: ({
        token_id: string;
        kind: "token" | "page" | "ticket";
        /** Null: everything. */
        session_id: string | null;
        role: "driver" | "viewer" | null;
        /** RFC 3339, UTC. */
        created_at: string;
        expires_at: string | null;
      })[];
    };
  };
  /** Replace a token; the old one opens nothing any more. */
  "token.rotate": {
    params: {
      token_id: string;
    };
    result: {
      token_id: string;
      token: string;
    };
  };
  /** Revoke a key, and close what was opened with it. */
  "token.revoke": {
    params: {
      token_id: string;
    };
    result: {
      /** False: there was none. */
      revoked: boolean;
    };
  };
  /** Report the daemon's version, uptime and counts. */
  "health.info": {
    params: Record<string, never>;
    result: {
      version: string;
      runtime: string;
      pid: number;
      /** Where it listens. */
      socket: string;
      /** Whether its file is still what its path names; if not, it ends once no client is connected. */
      executable?: "current" | "replaced" | "removed";
      uptime_s: number;
      sessions: {
        starting: number;
        running: number;
        ended: number;
        lost: number;
      };
      /** Of the sessions that live. */
      holders: number;
      /** Started and idle, for the next sessions. */
      warm: number;
      /** Connected now. */
      clients: number;
    };
  };
  /** End the daemon; sessions run on unless `stop_sessions` asks for their end. */
  "daemon.shutdown": {
    params: {
      /** Stop every session first, with grace. */
      stop_sessions?: boolean;
      grace_ms?: number;
    };
    result: {
      /** The sessions that were stopped. */
      stopped: string[];
    };
  };
}

/** What a subscriber is told. */
export interface Notifications {
  /** A session was started, by any caller. */
  "session.started": SessionNotice & {
    name: string | null;
    /** Cut short where it is too long for a list; session.get has all of it. */
    argv: string[];
    cwd: string;
  };
  /** Output, in order, each byte once. */
  "session.output": OutputNotice;
  /** How its terminal takes keys and shows things, and its title: at the beginning, and whenever the program changes them. */
  "session.mode_changed": SessionNotice & {
    modes: Record<string, unknown>;
    title: string;
  };
  /** A session's state changed. */
  "session.state_changed": SessionNotice & {
    state: "starting" | "running" | "exited" | "signaled" | "failed" | "expired";
    reason: "completed" | "stop_requested" | "kill_requested" | "timeout" | "idle_timeout" | "limit_exceeded" | "spawn_failed" | "holder_lost" | "daemon_shutdown" | null;
    exit_code: number | null;
    signal: string | null;
  };
  /** A session has ended, and all its output was sent. */
  "session.exited": EndNotice;
  /** A command on pipes runs; before its exec.completed or exec.failed, and not where it could not be spawned. */
  "exec.started": SessionNotice & {
    argv: string[];
    cwd: string;
    started_at: string | null;
  };
  /** What a command printed, in order, each byte once. */
  "exec.output": OutputNotice;
  /** A command has ended, by itself, whatever its exit code, or on request. */
  "exec.completed": EndNotice & {
    duration_ms: number | null;
  };
  /** A command could not be spawned or did not end by itself: its time was up, it passed a limit, its holder was lost. */
  "exec.failed": EndNotice & {
    duration_ms: number | null;
    error: {
      code: string;
      message: string;
    };
  };
  /** What a terminal printed, in order, each byte once, as pty.read has it. */
  "pty.output": TerminalNotice & {
    /** The cursor just past it. */
    seq: number;
    data: string;
    ts: string | null;
    /** These bytes were not kept: `data` is empty. */
    truncated: boolean;
  };
  /** The program of a terminal has ended, and all its output was sent. */
  "pty.exit": TerminalNotice & {
    /** As pty.close has it. */
    rc: number | null;
    duration_ms: number | null;
    seq: number;
  };
  /** This subscription was ended by the daemon: its notifications were not read. */
  "session.subscription_ended": {
    subscription_id: string;
    reason: "not_read";
    message: string;
  };
}
