/**
 * What a key thread runs (key-thread.ts), as machine-code.ts has it: the bytes that an assembler makes of the listing beside
 * them. Its argument points at a page that the two sides share, laid out as KEY_PAGE says.
 */
export const KEY_PAGE = {
  /** 8 bytes each, for what is written to `wake` and read from `ack`. */
  scratch: 0,
  wake: 16,
  ack: 20,
  socket: 24,
  /** What read(2) answered last: a length, or an error below 0; 0 where it was not asked. */
  length: 28,
  /** Two pollfds. */
  kick: 32,
  terminal: 40,
  /** How much was shown, for the frame. */
  shown: 48,
  /** How many frames were sent. */
  sent: 52,
  /** One byte for each value: not 0 where it is to be told and not sent. */
  told: 64,
  /** Length, type, how much was shown, and from `bytes` on what was read. */
  frame: 512,
  bytes: 521,
} as const;

/** At most, at a time. */
export const KEY_BYTES = 1024;

export const KEY_LOOP_X64 = `
    48 89 fb                      mov  rbx, rdi
    e9 8c 00 00 00                jmp  4f
    b8 07 00 00 00            1:  mov  eax, 7                        poll(kick and terminal, 2, -1)
    48 8d 7b 20                   lea  rdi, [rbx+32]
    be 02 00 00 00                mov  esi, 2
    48 c7 c2 ff ff ff ff          mov  rdx, -1
    0f 05                         syscall
    31 c0                         xor  eax, eax
    89 43 1c                      mov  [rbx+28], eax
    66 39 43 26                   cmp  word ptr [rbx+38], ax         kicked: park
    75 6a                         jne  4f
    8b 7b 28                      mov  edi, [rbx+40]                 read(terminal, bytes, 1024)
    48 8d b3 09 02 00 00          lea  rsi, [rbx+521]
    ba 00 04 00 00                mov  edx, 1024
    0f 05                         syscall
    89 43 1c                      mov  [rbx+28], eax
    85 c0                         test eax, eax
    7e 52                         jle  4f
    31 d2                         xor  edx, edx
    0f b6 bc 13 09 02 00 00   2:  movzx edi, byte ptr [rbx+rdx+521]  one that is to be told: park
    80 7c 3b 40 00                cmp  byte ptr [rbx+rdi+64], 0
    75 41                         jne  4f
    ff c2                         inc  edx
    39 c2                         cmp  edx, eax
    72 eb                         jb   2b
    8b 4b 30                      mov  ecx, [rbx+48]                 how much was shown
    89 8b 05 02 00 00             mov  [rbx+517], ecx
    8d 48 05                      lea  ecx, [rax+5]                  the frame's length
    89 8b 00 02 00 00             mov  [rbx+512], ecx
    8d 50 09                      lea  edx, [rax+9]
    b8 2c 00 00 00                mov  eax, 44                       sendto(socket, frame, 9 + n, not blocking, no signal)
    8b 7b 18                      mov  edi, [rbx+24]
    48 8d b3 00 02 00 00          lea  rsi, [rbx+512]
    41 ba 40 40 00 00             mov  r10d, 0x4040
    45 31 c0                      xor  r8d, r8d
    0f 05                         syscall
    85 c0                         test eax, eax
    7e 08                         jle  4f
    ff 43 34                      inc  dword ptr [rbx+52]            one more sent
    e9 74 ff ff ff                jmp  1b
    b8 01 00 00 00            4:  mov  eax, 1                        write(wake, scratch, 8)
    8b 7b 10                      mov  edi, [rbx+16]
    48 89 de                      mov  rsi, rbx
    ba 08 00 00 00                mov  edx, 8
    0f 05                         syscall
    31 c0                         xor  eax, eax
    8b 7b 14                      mov  edi, [rbx+20]                 read(ack, scratch, 8)
    48 8d 73 08                   lea  rsi, [rbx+8]
    ba 08 00 00 00                mov  edx, 8
    0f 05                         syscall
    e9 4d ff ff ff                jmp  1b`;
