// forge verify-contract and cast source against the interfaces of a node, without a network.
import { equal, match, ok } from 'node:assert/strict'
import { mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { KEYS } from './accounts.mjs'

const FOLDER = dirname(fileURLToPath(import.meta.url))
/** As in 0.8.37+commit.f401782d */
const [VERSION] = /^[^+]+\+commit\.[0-9a-f]+/.exec(
  createRequire(import.meta.url)('../clients/contracts/ledger.json').compiler,
)

/** Without an installed compiler forge looks for one online. */
function installCompiler(project) {
  const [release] = VERSION.split('+')
  const folder = project.path(`home/.svm/${release}`)
  mkdirSync(folder, { recursive: true })
  symlinkSync(join(FOLDER, 'solc.mjs'), join(folder, `solc-${release}`))
  return { HOME: project.path('home') }
}

/** @returns what the two interfaces accept: their names and the flags of forge */
const interfaces = (url) => ({
  etherscan: ['--verifier', 'custom', '--verifier-url', `${url}/verify/etherscan/api`, '--verifier-api-key', 'any'],
  sourcify: ['--verifier', 'sourcify', '--verifier-url', `${url}/verify/sourcify/`],
})

/** Deploys a contract. @returns its address */
function deploy(project, contract, values, options = []) {
  const args = ['create', contract, '--broadcast', '--private-key', KEYS[0], '--json', ...options]
  const { output, problem } = project.run('forge', [
    ...args,
    ...(values.length > 0 ? ['--constructor-args', ...values] : []),
  ])
  match(output, /deployedTo/, problem)
  return JSON.parse(output.slice(output.indexOf('{'))).deployedTo
}

async function contractOf(url, address) {
  const response = await fetch(`${url}/verify/sourcify/v2/contract/31337/${address}?fields=proxyResolution,deployment`)
  return response.json()
}

/** Verifies a library, a contract with immutables that is linked to it, and a proxy; then sources that are wrong. */
export async function verification(project) {
  const environment = installCompiler(project)
  const { url } = project
  const flags = interfaces(url)
  const verify = (address, contract, options) => {
    // With its cache forge forgets the commit of the compiler and looks for it online.
    rmSync(project.path('cache'), { recursive: true, force: true })
    const args = ['verify-contract', address, contract, '--chain', '31337', '--watch', '--compiler-version', VERSION]
    const start = performance.now()
    const { problem } = project.run('forge', [...args, ...options], environment)
    return { problem, milliseconds: performance.now() - start }
  }
  const library = deploy(project, 'src/Verified.sol:Rates', [])
  const linked = ['--libraries', `src/Verified.sol:Rates:${library}`]
  const rated = deploy(project, 'src/Verified.sol:Rated', ['250', 'rated'], linked)
  const proxy = deploy(project, 'src/Verified.sol:Relay', [rated])
  const unverified = project.run('cast', ['source', rated, ...sourceFlags(url)])
  match(unverified.problem, /not verified/)

  const times = []
  for (const [address, contract, options] of [
    [library, 'src/Verified.sol:Rates', flags.etherscan],
    [rated, 'src/Verified.sol:Rated', [...flags.etherscan, ...linked]],
    [proxy, 'src/Verified.sol:Relay', flags.sourcify],
  ]) {
    const { problem, milliseconds } = verify(address, contract, options)
    match(problem, /successfully verified|Status: `exact_match`|exact_match/i, problem)
    times.push(milliseconds)
    equal((await contractOf(url, address)).match, 'exact_match')
  }
  equal((await contractOf(url, proxy)).proxyResolution.implementations[0].address, rated.toLowerCase())
  match(verify(rated, 'src/Verified.sol:Rated', flags.etherscan).problem, /already verified/)

  const { output } = project.run('cast', ['source', rated, ...sourceFlags(url)])
  ok(output.includes(readFileSync(project.path('src/Verified.sol'), 'utf8').trim()), output)
  const wrong = verify(deploy(project, 'src/Counter.sol:Counter', []), 'src/Token.sol:Token', flags.etherscan)
  match(wrong.problem, /Fail - Unable to verify/)
  return Math.round(Math.max(...times))
}

function sourceFlags(url) {
  const explorer = ['--explorer-api-url', `${url}/verify/etherscan/api`, '--explorer-url', url]
  return [...explorer, '--etherscan-api-key', 'any', '--chain', '31337']
}
