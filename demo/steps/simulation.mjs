import { encodeFunctionData, getContractAddress, numberToHex, parseEther, zeroHash } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { toNumber } from '../network.mjs'

const MINTED = parseEther('7')
const SENT = parseEther('3')

export const simulation = {
  title: 'eth_simulateV1 runs two blocks on pending, the second on the state of the first',
  async run({ report, main, test, artifact }) {
    await simulateOn('main network', main, artifact, report)
    if (test) await simulateOn('test network', test, artifact, report)
    else report.note('no test network was given (--testnet-url): only the main network is checked')
  },
}

/** The first block deploys a token and mints; the second transfers, reads, and exceeds the cap. */
async function simulateOn(name, network, { abi, bytecode }, report) {
  // Accounts without state: a simulation requires neither signatures nor funds.
  const owner = randomAddress()
  const other = randomAddress()
  const to = getContractAddress({ from: owner, nonce: 0n })
  const call = (functionName, args) => ({ from: owner, to, data: encodeFunctionData({ abi, functionName, args }) })
  const blockStateCalls = [
    { calls: [{ from: owner, data: bytecode }, call('mint', [owner, MINTED])] },
    {
      calls: [
        call('balanceOf', [owner]),
        call('transfer', [other, SENT]),
        call('balanceOf', [other]),
        call('mint', [owner, parseEther('1000000')]),
      ],
    },
  ]
  const [pending, blocks] = await network.batch([
    ['eth_getBlockByNumber', ['pending', false]],
    ['eth_simulateV1', [{ blockStateCalls }, 'pending']],
  ])
  const [first, second] = blocks
  report.check(`${name}: one result per block`, blocks.length, 2)
  report.check(
    `${name}: they follow the pending block and each other`,
    {
      number: toNumber(first.number),
      parent: first.parentHash,
      next: toNumber(second.number),
      link: second.parentHash,
    },
    {
      number: toNumber(pending.number) + 1,
      parent: pending.hash,
      next: toNumber(pending.number) + 2,
      link: first.hash,
    },
  )
  report.check(`${name}: the first block's calls succeed`, statuses(first), ['0x1', '0x1'])
  report.check(`${name}: the second block reads the state of the first`, second.calls[0].returnData, word(MINTED))
  report.check(`${name}: a call reads the state of the previous one`, second.calls[2].returnData, word(SENT))
  report.check(`${name}: the transfer has its log`, second.calls[1].logs.length, 1)
  const { status, error } = second.calls[3]
  report.check(
    `${name}: the call that reverts returns its reason as a string`,
    { status, error },
    { status: '0x0', error: 'DemoToken: cap exceeded' },
  )
  report.check(`${name}: stateRoot is zero`, [first.stateRoot, second.stateRoot], [zeroHash, zeroHash])
  report.check(`${name}: gasUsed is that of the calls`, blocks.map(gasUsed), blocks.map(gasOfCalls))
  const code = await network.request('eth_getCode', [to, 'pending'])
  report.check(`${name}: the chain is unchanged`, code, '0x')
}

function randomAddress() {
  return privateKeyToAddress(generatePrivateKey())
}

function word(value) {
  return numberToHex(value, { size: 32 })
}

function statuses({ calls }) {
  return calls.map(({ status }) => status)
}

function gasUsed(block) {
  return toNumber(block.gasUsed)
}

function gasOfCalls({ calls }) {
  return calls.reduce((sum, call) => sum + toNumber(call.gasUsed), 0)
}
