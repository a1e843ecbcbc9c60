// hardhat verify of Hardhat 3, with each of its providers, in a copy of the project in hardhat3.
//   node verify3.mjs URL
import { equal, match } from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { encodeDeployData } from 'viem'
import { installPackages } from '../support/npm-packages.mjs'
import { connect } from './chain.mjs'

const FOLDER = fileURLToPath(new URL('./hardhat3/', import.meta.url))
const PACKAGES = join(FOLDER, 'node_modules')
if (!existsSync(join(PACKAGES, '.package-lock.json'))) installPackages(FOLDER)

const url = process.argv[2]
const client = await connect(url)
const folder = mkdtempSync(join(tmpdir(), 'tickertape-hardhat3-'))
cpSync(join(FOLDER, 'hardhat.config.js'), join(folder, 'hardhat.config.js'))
cpSync(join(FOLDER, 'package.json'), join(folder, 'package.json'))
cpSync(new URL('./project/contracts/Verified.sol', import.meta.url), join(folder, 'contracts/Verified.sol'))
symlinkSync(PACKAGES, join(folder, 'node_modules'))

/** Runs a task to its end. @returns its output @throws Error if it fails */
function hardhat(...task) {
  const { status, stdout, stderr, error } = spawnSync(
    process.execPath,
    [join(PACKAGES, 'hardhat/dist/src/cli.js'), ...task],
    {
      cwd: folder,
      encoding: 'utf8',
      env: {
        ...process.env,
        NODE_URL: url,
        CHAIN_ID: `${client.chain.id}`,
        SOLC_PATH: createRequire(import.meta.url).resolve('solc/soljson.js'),
        NO_COLOR: '1',
        HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true',
      },
    },
  )
  if (error !== undefined) throw error
  equal(status, 0, `hardhat ${task.join(' ')}\n${stdout}${stderr}`)
  return stdout
}

/** Deploys a contract, linked to the library if it needs one. @returns its address */
async function deploy(name, args, library = '') {
  const { abi, bytecode } = JSON.parse(
    readFileSync(join(folder, `artifacts/contracts/Verified.sol/${name}.json`), 'utf8'),
  )
  const linked = bytecode.replace(/__\$\w+\$__/g, library.slice(2))
  const hash = await client.sendTransaction({ data: encodeDeployData({ abi, bytecode: linked, args }) })
  return (await client.waitForTransactionReceipt({ hash })).contractAddress
}

async function matchOf(address) {
  const response = await fetch(`${url}/verify/sourcify/v2/contract/${client.chain.id}/${address}`)
  return (await response.json()).match
}

try {
  hardhat('build', '--build-profile', 'production')
  const rates = await deploy('Rates', [])
  const rated = await deploy('Rated', [250n, 'rated'], rates)
  const relay = await deploy('Relay', [rated])

  match(hardhat('verify', 'blockscout', '--network', 'tickertape', rates), /verified successfully/)
  match(hardhat('verify', 'etherscan', '--network', 'tickertape', rated, '250', 'rated'), /verified successfully/)
  match(hardhat('verify', 'sourcify', '--network', 'tickertape', relay, rated), /verified successfully/)

  // Hardhat links after compiling and names the library when it verifies, so that the metadata differs.
  equal(await matchOf(rates), 'exact_match')
  equal(await matchOf(rated), 'match')
  equal(await matchOf(relay), 'exact_match')
} finally {
  rmSync(folder, { recursive: true })
}
