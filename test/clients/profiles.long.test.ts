import { describe } from 'vitest'
import { connectEthers } from './ethers-client.ts'
import { type ConnectClient, testSession } from './session.ts'
import { TRANSPORTS } from './session-client.ts'
import { connectViem } from './viem-client.ts'
import { connectWeb3 } from './web3-client.ts'

const LIBRARIES: readonly (readonly [name: string, connect: ConnectClient])[] = [
  ['viem', connectViem],
  ['ethers v6', connectEthers],
  ['web3.js v4', connectWeb3],
]

describe.each(['op', 'denim', 'ethereum'] as const)('the profile %s', (profile) => {
  describe.each(LIBRARIES)('serves %s', (_, connect) => {
    describe.each(TRANSPORTS)('over %s', (transport) => {
      testSession(transport, connect, profile)
    })
  })
})
