import { type Address, ZERO_ADDRESS } from '../../primitives/hex.ts'
import { hasNativeTokens, type Upgrade } from '../forks/upgrades.ts'
import { DEFAULT_DEMO_STOCK_SET, type DemoStockSet } from '../predeploys/demo-stocks.ts'
import { activationRegistry, nativeDemoStocks } from '../predeploys/genesis-tokens.ts'
import { MESSAGE_PASSER, WETH9 } from '../predeploys/layer2-contracts.ts'
import { opStackPredeploys } from '../predeploys/op-stack/op-stack-contracts.ts'
import type { Predeploy } from '../predeploys/predeploy.ts'
import {
  CREATE2_DEPLOYER,
  DETERMINISTIC_DEPLOYMENT_PROXY,
  MULTICALL3,
  OP_STACK_PREINSTALLS,
  permit2,
  SAFE_SINGLETON_FACTORY,
} from '../predeploys/preinstalls.ts'
import { nativeMarketContracts, stockContracts } from '../predeploys/stock-contracts.ts'
import { BEACON_ROOTS_CONTRACT, HISTORY_CONTRACT } from '../predeploys/system-contracts.ts'

/** Contracts that block 0 can do without. Default: all of them. */
export interface ContractOptions {
  /** Message passer and WETH9, which a chain with an `upgrade` always has. */
  readonly hasLayer2Contracts?: boolean
  /** The demonstration stocks with their factory and market; native tokens from Beryl on. */
  readonly hasStocks?: boolean
  /** Which demonstration stocks. Default: the newest ones. */
  readonly demoStocks?: DemoStockSet
  /** Upgrade of the OP stack with which the chain begins, for contracts of system transactions. Default: none. */
  readonly upgrade?: Upgrade
  /** Whether Denim comes later: BaseTime is a proxy without implementation until then. Default: false. */
  readonly reservesBaseTime?: boolean
  /**
   * Account that may upgrade the contracts of the OP stack, receives the fees of the vaults, and activates features of
   * native tokens. Default: the zero address, so that no account of the network can.
   */
  readonly owner?: Address | undefined
}

/**
 * All contracts of a network's block 0.
 *
 * @example genesisPredeploys(31337n).find(({ name }) => name === 'Multicall3')
 */
export function genesisPredeploys(chainId: bigint, options: ContractOptions = {}): readonly Predeploy[] {
  const { hasLayer2Contracts = true, hasStocks = true, demoStocks = DEFAULT_DEMO_STOCK_SET, upgrade } = options
  const { reservesBaseTime = false, owner = ZERO_ADDRESS } = options
  const simplified = hasLayer2Contracts ? [MESSAGE_PASSER, WETH9] : []
  return [
    HISTORY_CONTRACT,
    BEACON_ROOTS_CONTRACT,
    ...(upgrade === undefined ? simplified : opStackPredeploys(upgrade, { reservesBaseTime, owner })),
    MULTICALL3,
    DETERMINISTIC_DEPLOYMENT_PROXY,
    CREATE2_DEPLOYER,
    SAFE_SINGLETON_FACTORY,
    permit2(chainId),
    ...(upgrade === undefined ? [] : OP_STACK_PREINSTALLS),
    ...nativeContracts(upgrade, owner),
    ...(hasStocks ? stocks(upgrade, demoStocks) : []),
  ]
}

/** Contracts of which the node has the code, and whose state begins in block 0. */
function nativeContracts(upgrade: Upgrade | undefined, admin: Address): readonly Predeploy[] {
  return hasNativeTokens(upgrade) ? [activationRegistry(admin)] : []
}

function stocks(upgrade: Upgrade | undefined, set: DemoStockSet): readonly Predeploy[] {
  return hasNativeTokens(upgrade) ? [...nativeDemoStocks(set), ...nativeMarketContracts(set)] : stockContracts(set)
}
