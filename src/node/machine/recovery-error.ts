/** Records contradict the store or each other. */
export class RecoveryError extends Error {
  readonly code = 'RECOVERY_FAILED'
  override readonly name = 'RecoveryError'
}
