// Exit statuses: how an instruction, a frame or a message ends or pauses. Both languages compile this file, see
// `records.ts`.

export const CONTINUE: u32 = 0
/** The frame returned. */
export const STOPPED: u32 = 1
export const REVERTED: u32 = 2
/** As `CONTINUE`, in a code block that needs no stack checks. */
export const CONTINUE_UNCHECKED: u32 = 3

// The frame halted: all its gas is gone.
export const OUT_OF_GAS: u32 = 16
export const CODE_STORE_OUT_OF_GAS: u32 = 17
export const ADDRESS_COLLISION: u32 = 18
export const CODE_TOO_LARGE: u32 = 19
export const INITCODE_TOO_LARGE: u32 = 20
export const INVALID_JUMP: u32 = 21
export const WRITE_PROTECTION: u32 = 22
export const RETURN_DATA_OUT_OF_BOUNDS: u32 = 23
export const INVALID_CODE: u32 = 24
export const STACK_UNDERFLOW: u32 = 25
export const STACK_OVERFLOW: u32 = 26
export const INVALID_OPCODE: u32 = 27
export const PRECOMPILE_FAILED: u32 = 28
/** The value would raise the balance of the recipient above 2^256 - 1. */
export const BALANCE_OVERFLOW: u32 = 32

// The frame did not start: its gas is returned. Only traces report these.
export const CALL_TOO_DEEP: u32 = 29
export const INSUFFICIENT_BALANCE: u32 = 30
export const NONCE_OVERFLOW: u32 = 31

// The host must do something before the instruction can run; then it starts over.
export const NEED_ACCOUNT: u32 = 64
export const NEED_SLOT: u32 = 65
export const NEED_CODE: u32 = 66
export const NEED_BLOCK_HASH: u32 = 67
/** The frame is a precompile, which the host runs. */
export const RUN_PRECOMPILE: u32 = 68
/** The slice of gas is used up. */
export const PAUSED: u32 = 69
/** The message ended. */
export const DONE: u32 = 70
/** The host must say whether the account has storage, before a creation at its address. */
export const NEED_STORAGE: u32 = 71
