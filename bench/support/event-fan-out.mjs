// Processor time of a node for each event that it sends to a subscriber of the stock service.
import { request as httpRequest } from 'node:http'
import { DEVELOPMENT_ACCOUNTS } from '../../dist/chain/accounts/development-accounts.js'
import { signTransaction } from '../../dist/chain/transaction/transaction-codec.js'
import { bytesToHex, hexToBytes } from '../../dist/primitives/hex.js'
import { CHAIN_ID } from './chain-content.mjs'
import { request } from './json-rpc.mjs'
import { familyTime } from './process-time.mjs'

const MRDTL = '0x5700000000000000000000000000000000000002'
const OWNER = DEVELOPMENT_ACCOUNTS[0]
const MINT_SELECTOR = '40c10f19'
/** Each in a flashblock of its own: events of one flashblock are written together. */
const MINTS_PER_ROUND = 15

/** A subscriber that counts changes. */
function subscribe(url) {
  return new Promise((resolve, reject) => {
    let received = 0
    let rest = ''
    let notify = () => undefined
    let fail = () => undefined
    const sent = httpRequest(`${url}/v1/tokenized-stocks/events`, { agent: false }, (response) => {
      if (response.statusCode !== 200) return reject(new Error(`the events answered ${response.statusCode}`))
      response.setEncoding('latin1')
      response.on('data', (chunk) => {
        const events = `${rest}${chunk}`.split('\n\n')
        rest = events.pop()
        // Only changes have `kind`; the `ready` event has none.
        received += events.filter((event) => event.includes('"kind":')).length
        notify()
      })
      response.on('close', () => fail(new Error('the node closed the events')))
      resolve({
        async until(count) {
          while (received < count) {
            await new Promise((reached, failed) => {
              notify = reached
              fail = failed
            })
          }
        },
        close: () => sent.destroy(),
      })
    })
    sent.on('error', reject)
    sent.end()
  })
}

/** Mints in consecutive flashblocks. */
async function mint(port, nonce) {
  const data = hexToBytes(`0x${MINT_SELECTOR}${OWNER.address.slice(2).padStart(64, '0')}${'1'.padStart(64, '0')}`)
  const fees = { maxFeePerGas: 20_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n }
  for (let index = 0; index < MINTS_PER_ROUND; index++) {
    const fields = { type: 2, chainId: CHAIN_ID, nonce: nonce + BigInt(index), to: MRDTL, value: 0n, accessList: [] }
    const { raw } = signTransaction({ ...fields, ...fees, data, gasLimit: 200_000n }, OWNER.privateKey)
    await request(port, 'eth_sendRawTransactionSync', [bytesToHex(raw)])
  }
}

/**
 * Mints without and with subscribers, in turns.
 *
 * @param {{ rpc: string, child: { pid: number } }} node
 * @param {{ rounds: number, subscribers: number }} options
 * @returns for each round: microseconds of processor time per event that was sent
 */
export async function eventCosts(node, { rounds, subscribers }) {
  const port = Number(new URL(node.rpc).port)
  let nonce = BigInt(await request(port, 'eth_getTransactionCount', [OWNER.address, 'pending']))
  const costOf = async (act) => {
    const start = familyTime(node.child.pid)
    await act()
    return (familyTime(node.child.pid) - start) * 1_000
  }
  const mintAll = async () => {
    await mint(port, nonce)
    nonce += BigInt(MINTS_PER_ROUND)
  }
  const costs = []
  // The first round compiles code and does not count.
  for (let round = -1; round < rounds; round++) {
    const without = await costOf(mintAll)
    const opened = await Promise.all(Array.from({ length: subscribers }, () => subscribe(node.rpc)))
    const withSubscribers = await costOf(async () => {
      await mintAll()
      await Promise.all(opened.map((subscriber) => subscriber.until(MINTS_PER_ROUND)))
    })
    for (const subscriber of opened) subscriber.close()
    if (round >= 0) costs.push((withSubscribers - without) / (subscribers * MINTS_PER_ROUND))
  }
  return costs
}
