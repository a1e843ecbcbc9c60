// Contracts of ERC-4337 from npm packages, and the paymasters of `contracts/`, at addresses that do not depend on the
// sender: a second run on the same chain finds them.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { concatHex, encodeDeployData, getCreate2Address, parseEther, zeroHash } from 'viem'
import {
  entryPoint06Abi,
  entryPoint06Address,
  entryPoint07Abi,
  entryPoint07Address,
  entryPoint08Abi,
  entryPoint08Address,
} from 'viem/account-abstraction'

const require = createRequire(import.meta.url)
const solc = require('solc')

/** Arachnid's CREATE2 factory, which is in block 0. */
const CREATE2_FACTORY = '0x4e59b44847b379578588920cA78FbF26c0B4956C'
/** Entry points by version. With these salts their addresses are those of every public chain. */
export const ENTRY_POINTS = {
  0.6: { version: '0.6', abi: entryPoint06Abi, address: entryPoint06Address, salt: zeroHash },
  0.7: {
    version: '0.7',
    abi: entryPoint07Abi,
    address: entryPoint07Address,
    salt: '0x90d8084deab30c2a37c45e8d47f49f2f7965183cb6990a98943ef94940681de3',
  },
  0.8: {
    version: '0.8',
    abi: entryPoint08Abi,
    address: entryPoint08Address,
    salt: '0x0a59dbff790c23c976a548690c27297883cc66b4c67024f9117b0238995e35e9',
  },
}
/** Until when the paymasters pay: the year 2100, in seconds. */
const VALID_UNTIL = 4_102_444_800
const DEPOSIT = parseEther('1')

/**
 * Deploys the entry point unless the chain has it, the factory of its SimpleAccount, and both paymasters, with a deposit
 * each.
 *
 * @returns addresses of the factory, of the paymaster that obeys ERC-7562 and of the one that does not
 */
export async function deployContracts(client, { version, abi, address, salt }) {
  const artifact = (name) => require(`entry-point-${version}/artifacts/${name}.json`)
  const entryPoint = await deployOnce(client, artifact('EntryPoint').bytecode, salt)
  if (entryPoint !== address) throw new Error(`the package has another EntryPoint ${version}: ${entryPoint}`)
  const factory = await deployOnce(client, encodeDeployData({ ...artifact('SimpleAccountFactory'), args: [address] }))

  const sponsors = compile('Sponsors.sol')
  const paymasters = []
  for (const name of ['TimeLimitedSponsor', 'ClockReadingSponsor']) {
    const paymaster = await deployOnce(client, encodeDeployData({ ...sponsors[name], args: [VALID_UNTIL] }))
    const deposit = { address, abi, functionName: 'depositTo', args: [paymaster], value: DEPOSIT }
    await client.waitForTransactionReceipt({ hash: await client.writeContract(deposit) })
    paymasters.push(paymaster)
  }
  const [sponsor, clockReader] = paymasters
  return { factory, sponsor, clockReader }
}

/** @returns the address of the contract, which is deployed if the chain lacks it */
async function deployOnce(client, bytecode, salt = zeroHash) {
  const address = getCreate2Address({ from: CREATE2_FACTORY, salt, bytecode })
  if ((await client.getCode({ address })) === undefined) {
    const hash = await client.sendTransaction({ to: CREATE2_FACTORY, data: concatHex([salt, bytecode]) })
    await client.waitForTransactionReceipt({ hash })
  }
  return address
}

/** @returns ABI and bytecode by name of contract */
function compile(file) {
  const content = readFileSync(new URL(`../contracts/${file}`, import.meta.url), 'utf8')
  const input = {
    language: 'Solidity',
    sources: { [file]: { content } },
    settings: { optimizer: { enabled: true }, outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } } },
  }
  const { contracts, errors = [] } = JSON.parse(solc.compile(JSON.stringify(input)))
  const error = errors.find(({ severity }) => severity === 'error')
  if (error !== undefined) throw new Error(error.formattedMessage)
  return Object.fromEntries(
    Object.entries(contracts[file]).map(([name, { abi, evm }]) => [
      name,
      { abi, bytecode: `0x${evm.bytecode.object}` },
    ]),
  )
}
