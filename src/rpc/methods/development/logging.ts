import { boolean } from '../../codecs/boolean.ts'
import { defineDevelopmentMethod, done, SETTER_RESULT } from '../../registry/development-method.ts'
import { requiredParam } from '../../registry/method.ts'

export const anvil_setLoggingEnabled = defineDevelopmentMethod({
  name: 'anvil_setLoggingEnabled',
  aliases: ['hardhat_setLoggingEnabled'],
  summary: 'Whether the node prints transactions, console.log and reverts to its terminal.',
  params: [requiredParam('enabled', boolean)],
  result: SETTER_RESULT,
  cost: 1,
  example: { params: [true], result: null },
  handle([isEnabled], { compat, development }) {
    development.logging.setEnabled(isEnabled)
    return done(compat)
  },
})
