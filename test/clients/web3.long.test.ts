import { describe } from 'vitest'
import { testSession } from './session.ts'
import { TRANSPORTS } from './session-client.ts'
import { connectWeb3 } from './web3-client.ts'

describe.each(TRANSPORTS)('web3.js v4 over %s', (transport) => {
  testSession(transport, connectWeb3)
})
