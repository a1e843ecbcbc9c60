import { describe } from 'vitest'
import { connectEthers } from './ethers-client.ts'
import { testSession } from './session.ts'
import { TRANSPORTS } from './session-client.ts'

describe.each(TRANSPORTS)('ethers v6 over %s', (transport) => {
  testSession(transport, connectEthers)
})
