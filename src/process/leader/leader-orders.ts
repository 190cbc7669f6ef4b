/** A leader's argument (where its command starts) and its orders, one byte each. native/leader.c has them too. */
export const FRONT = "front";
/** As a background job: the leader has the terminal. */
export const BEHIND = "behind";

export const TO_FRONT = 0x66; // "f"
export const TO_BACK = 0x62; // "b"
/** Where the last order put it. */
export const CONTINUE = 0x63; // "c"
