// Commands of cast, in order: each reads what earlier ones and the script did.
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { KEYS, SENDER } from './accounts.mjs'

const RECEIVER = '0x00000000000000000000000000000000000000bb'
const HASH = /^0x[0-9a-f]{64}$/
const ADDRESS = /^0x[0-9a-fA-F]{40}$/
const WORD_OF_SUPPLY = 2

const is = (value) => (output) => equal(output, value)
const matches = (pattern) => (output) => match(output, pattern)
const number = (output) => ok(Number(output) > 0, output)
const json = (check) => (output, context) => check(JSON.parse(output), context)
const send = (...args) => ['send', '--private-key', KEYS[0], '--json', ...args]
const succeeded = ({ status }) => equal(Number(status), 1)

/**
 * `args` and `check` get the context: `token`, `counter` and `holder` of the script, and what earlier checks added.
 * A check throws when the output is wrong. A command with `fails` must end with an error whose text matches it.
 *
 * @type {{ args: (context: any) => string[], check?: (output: string, context: any) => void, fails?: RegExp }[]}
 */
export const COMMANDS = [
  // The chain
  { args: () => ['chain-id'], check: is('31337') },
  { args: () => ['chain'], check: (output) => ok(output.length > 0) },
  { args: () => ['client'], check: matches(/^(Tickertape|anvil)\//) },
  { args: () => ['block-number'], check: number },
  { args: () => ['gas-price'], check: number },
  { args: () => ['base-fee'], check: number },
  { args: () => ['age'], check: matches(/UTC$/) },
  { args: () => ['find-block', '1'], check: is('1') },
  { args: () => ['block', 'latest', '--json'], check: json(({ hash }) => match(hash, HASH)) },
  {
    args: () => ['block', 'latest', '--full', '--json'],
    check: json(({ transactions }) => ok(Array.isArray(transactions))),
  },
  { args: () => ['block', 'pending', '--json'], check: json(({ number }) => ok(BigInt(number) > 0n)) },
  { args: () => ['block', 'earliest', '--field', 'number'], check: is('0') },
  { args: () => ['block', 'safe', '--field', 'number'], check: (output) => ok(Number(output) >= 0) },
  { args: () => ['rpc', 'eth_feeHistory', '0x1', 'latest', '[]'], check: json(({ oldestBlock }) => ok(oldestBlock)) },
  { args: () => ['tx-pool', 'status'], check: json(({ pending }) => equal(pending, '0x0')) },

  // Accounts
  { args: () => ['balance', SENDER], check: number },
  { args: () => ['balance', SENDER, '--ether'], check: matches(/^99\d\d\.|^1000/) },
  { args: () => ['balance', SENDER, '--block', 'earliest'], check: is('10000000000000000000000') },
  { args: () => ['nonce', SENDER], check: is('36') },
  { args: () => ['nonce', SENDER, '--block', 'earliest'], check: is('0') },
  { args: () => ['compute-address', SENDER], check: matches(/0x[0-9a-fA-F]{40}$/) },
  { args: ({ token }) => ['code', token], check: matches(/^0x60/) },
  { args: ({ token }) => ['codesize', token], check: number },
  { args: ({ token }) => ['codehash', token], check: matches(HASH) },
  {
    args: ({ token }) => ['storage', token, `${WORD_OF_SUPPLY}`],
    check: (output) => equal(BigInt(output), 1003n * 10n ** 18n),
  },
  { args: ({ token }) => ['storage-root', token], check: matches(HASH) },
  {
    args: ({ token }) => ['proof', token, `${WORD_OF_SUPPLY}`],
    check: json(({ storageProof }) => equal(storageProof.length, 1)),
  },
  { args: ({ token }) => ['implementation', token], check: (output) => equal(BigInt(output), 0n) },
  { args: ({ token }) => ['admin', token], check: (output) => equal(BigInt(output), 0n) },

  // Calls
  { args: ({ token }) => ['call', token, 'totalSupply()(uint256)'], check: matches(/^1003000000000000000000/) },
  { args: ({ token }) => ['call', token, 'totalSupply()(uint256)', '--block', 'pending'], check: matches(/^1003/) },
  {
    args: ({ token }) => ['call', token, 'totalSupply()', '--trace'],
    check: matches(/Transaction successfully executed/),
  },
  {
    args: ({ token }) => [
      'call',
      token,
      'totalSupply()(uint256)',
      '--override-state-diff',
      `${token}:${WORD_OF_SUPPLY}:7`,
    ],
    check: is('7'),
  },
  {
    args: ({ token }) => ['call', token, 'transfer(address,uint256)', RECEIVER, '1', '--from', RECEIVER],
    fails: /execution reverted/,
  },
  { args: ({ token }) => ['estimate', token, 'mint(address,uint256)', RECEIVER, '1', '--from', SENDER], check: number },
  { args: ({ token }) => ['access-list', token, 'totalSupply()'], check: matches(/0x0{63}2/) },
  { args: ({ token }) => ['erc20-token', 'name', token], check: is('Tape') },
  { args: ({ token }) => ['erc20-token', 'symbol', token], check: is('TAPE') },
  { args: ({ token }) => ['erc20-token', 'decimals', token], check: is('18') },
  { args: ({ token }) => ['erc20-token', 'total-supply', token], check: matches(/^1003/) },
  { args: ({ token, holder }) => ['erc20-token', 'balance', token, holder], check: matches(/^9000000000000000000/) },
  { args: ({ token, holder }) => ['erc20-token', 'allowance', token, SENDER, holder], check: matches(/^5000/) },

  // Transactions in a row: each takes its nonce from the node.
  {
    args: ({ counter }) => send(counter, 'increment()'),
    check: json((receipt, context) => {
      succeeded(receipt)
      context.hash = receipt.transactionHash
    }),
  },
  { args: ({ counter }) => send(counter, 'increment()', '--legacy'), check: json(succeeded) },
  { args: ({ counter }) => send(counter, 'increment()', '--access-list'), check: json(succeeded) },
  { args: ({ counter }) => send(counter, 'increment()', '--gas-limit', '100000'), check: json(succeeded) },
  { args: ({ counter }) => ['call', counter, 'count()(uint256)'], check: is('7') },
  { args: () => send(RECEIVER, '--value', '1ether'), check: json(succeeded) },
  { args: () => ['balance', RECEIVER, '--ether'], check: matches(/^1(\.0+)?$/) },
  {
    args: () => send('--create', '0x6001600c60003960016000f300'),
    check: json(({ contractAddress }) => match(contractAddress, ADDRESS)),
  },
  { args: () => send(RECEIVER, '--value', '1', '--auth', RECEIVER), check: json(succeeded) },
  { args: () => ['code', SENDER], check: matches(/^0xef0100/) },
  {
    args: ({ token }) => send(token, 'transfer(address,uint256)', RECEIVER, '99999ether', '--gas-limit', '100000'),
    check: json(({ status }) => equal(Number(status), 0)),
  },
  {
    args: ({ token }) => send(token, 'transfer(address,uint256)', RECEIVER, '99999ether'),
    fails: /InsufficientBalance|execution reverted/,
  },
  {
    args: ({ token }) => ['erc20-token', 'transfer', token, RECEIVER, '3', '--private-key', KEYS[0]],
    check: matches(/0x[0-9a-f]{64}/),
  },
  {
    args: () => ['mktx', RECEIVER, '--value', '2', '--private-key', KEYS[1]],
    check(output, context) {
      match(output, /^0x02/)
      context.raw = output
    },
  },
  { args: ({ raw }) => ['publish', raw, '--json'], check: json(({ transactionHash }) => match(transactionHash, HASH)) },
  { args: ({ raw }) => ['publish', raw], fails: /nonce too low|already (known|imported)/i },

  // Receipts, traces and logs of these transactions
  { args: ({ hash }) => ['receipt', hash, 'status'], check: matches(/^(1|true)/) },
  {
    args: ({ hash }) => ['tx', hash, '--json'],
    check: json(({ from }) => equal(from.toLowerCase(), SENDER.toLowerCase())),
  },
  { args: ({ hash }) => ['tx', hash, '--raw'], check: matches(/^0x02/) },
  { args: ({ hash }) => ['run', hash, '--quick'], check: matches(/Transaction successfully executed/) },
  { args: ({ hash }) => ['trace', hash], check: json((traces) => equal(traces[0].type, 'call')) },
  {
    args: ({ token }) => [
      'logs',
      '--from-block',
      '0',
      '--address',
      token,
      'Transfer(address,address,uint256)',
      '--json',
    ],
    check: json((logs) => deepEqual([...new Set(logs.map(({ removed }) => removed))], [false])),
  },
]
