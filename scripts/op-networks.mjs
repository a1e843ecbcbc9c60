// Writes src/chain/networks/op-networks.json, the OP-stack chains that forks know by their chain id.
// node scripts/op-networks.mjs CHAINS.json
//
// CHAINS.json: the chains of ethereum-optimism/superchain-registry at COMMIT as a list of
// { chainId, name, blockTime, genesisTime, hardforks: { canyon, … }, optimism: { eip1559_elasticity, … } }.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const COMMIT = '8336d2ae'
/** Scheduled after that commit (release notes of op-node). */
const LATER = { 480: { karst: 1_789_992_000 }, 4801: { karst: 1_788_868_800 } }
/** Not upgrades of execution. */
const OTHER = new Set(['delta', 'pectra_blob_schedule'])

const chains = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const networks = chains
  .map(({ chainId, name, blockTime, hardforks, optimism }) => {
    const all = Object.entries({ ...hardforks, ...LATER[chainId] })
    return {
      chainId,
      name,
      blockTimeSeconds: blockTime,
      elasticity: optimism.eip1559_elasticity,
      denominator: optimism.eip1559_denominator_canyon ?? optimism.eip1559_denominator,
      upgradeTimes: Object.fromEntries(all.filter(([upgrade, time]) => !OTHER.has(upgrade) && time !== null)),
    }
  })
  .sort((one, other) => one.chainId - other.chainId)
const lines = networks.map((network) => `    ${JSON.stringify(network)}`).join(',\n')
const text = `{\n  "registry": "ethereum-optimism/superchain-registry@${COMMIT}",\n  "networks": [\n${lines}\n  ]\n}\n`
writeFileSync(fileURLToPath(new URL('../src/chain/networks/op-networks.json', import.meta.url)), text)
console.log(`${networks.length} networks`)
