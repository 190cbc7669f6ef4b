/** What a leader is told: where its command starts, and a byte an order. The native leader has them too. */
export const FRONT = "front";
/** As a background job: the leader has the terminal. */
export const BEHIND = "behind";

export const TO_FRONT = 0x66; // "f"
export const TO_BACK = 0x62; // "b"
/** Where it was told to be last. */
export const CONTINUE = 0x63; // "c"
