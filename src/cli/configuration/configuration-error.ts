import { CodedError } from '../../primitives/coded-error.ts'

/** Why the environment or a configuration file is refused; the message is for the operator. */
export class ConfigurationError extends CodedError<
  'UNKNOWN_VARIABLE' | 'UNKNOWN_KEY' | 'INVALID_VALUE' | 'UNREADABLE_FILE'
> {
  override readonly name = 'ConfigurationError'
}
