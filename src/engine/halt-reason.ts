/** Why a frame halted other than by returning or reverting; all its gas is consumed. */
export type HaltReason =
  | 'out of gas'
  | 'gas uint64 overflow'
  | 'contract creation code storage out of gas'
  | 'max call depth exceeded'
  | 'insufficient balance for transfer'
  | 'contract address collision'
  | 'max code size exceeded'
  | 'max initcode size exceeded'
  | 'invalid jump destination'
  | 'write protection'
  | 'return data out of bounds'
  | 'invalid code: must not begin with 0xef'
  | 'nonce uint64 overflow'
  | 'stack underflow'
  | 'stack limit reached'
  | `invalid opcode: ${string}`
  | 'precompile failed'
