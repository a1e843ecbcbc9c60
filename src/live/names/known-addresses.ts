/** An address that has one meaning on every chain, or on every Tickertape chain. */
export interface KnownAddress {
  readonly name: string
  /** Key in `contract-abis.json` of the functions that the address answers. */
  readonly abi?: string
}

const DEVELOPMENT_ACCOUNTS = [
  '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
  '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
  '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
  '0x90f79bf6eb2c4f870365e785982e1f101e93b906',
  '0x15d34aaf54267db7d7c367839aaf71a00a2c6a65',
  '0x9965507d1a55bcc2695c58ba16fb37d819b0a4dc',
  '0x976ea74026e726554db657fa54763abd0c3a0aa9',
  '0x14dc79964da2c08b23698b3d3cc7ca32193d9955',
  '0x23618e81e3f5cdf7f54c3d65f7fbc0abf5b21e8f',
  '0xa0ee7a142d267c1f36714e4a8f75612f20a79720',
]

/** Position of an account in the development mnemonic, as `tickertape stock --account` counts; -1 for any other. */
export function developmentAccountNumber(address: string): number {
  return DEVELOPMENT_ACCOUNTS.indexOf(address.toLowerCase())
}

/** Sender of the system transaction that begins each block (OP-stack specs: L1 attributes). */
export const SYSTEM_SENDER = '0xdeaddeaddeaddeaddeaddeaddeaddeaddead0001'
/** Creates the stocks of a Tickertape chain, and those of Base's asset standard. */
export const FACTORY_ADDRESS = '0xb20f000000000000000000000000000000000000'

/** Freezes the prices of demonstration stocks, at the address that Base uses for its oracle registry. */
export const REGISTRY_ADDRESS = '0x3f3e8cf41cdd3b1d118c16471ab0113dfddd5cad'

/** Predeploys of the OP stack by the last two bytes of their addresses, with their ABIs. */
const OP_STACK: readonly (readonly [number: string, name: string, abi?: string])[] = [
  ['06', 'WETH9'],
  ['07', 'L2CrossDomainMessenger'],
  ['0f', 'GasPriceOracle'],
  ['10', 'L2StandardBridge'],
  ['11', 'SequencerFeeVault'],
  ['13', 'L1BlockNumber'],
  ['15', 'L1Block'],
  ['16', 'L2ToL1MessagePasser'],
  ['18', 'ProxyAdmin'],
  ['19', 'BaseFeeVault', 'FeeVault'],
  ['1a', 'L1FeeVault', 'FeeVault'],
  ['1b', 'OperatorFeeVault'],
  ['30', 'BaseTime'],
]

/** Position n is the feed of the n-th demonstration stock. */
const DEMO_FEEDS = ['HLCYNd', 'MRDTLd', 'QLBKFd', 'OSTGLd', 'VIREOd', 'FJORDd']

const OTHERS: Readonly<Record<string, KnownAddress>> = {
  '0x0000000000000000000000000000000000000000': { name: 'zero address' },
  '0xfffffffffffffffffffffffffffffffffffffffe': { name: 'system caller' },
  [SYSTEM_SENDER]: { name: 'L1 attributes depositor' },
  '0x000f3df6d732807ef1319fb7b8bb8522d0beac02': { name: 'EIP-4788 beacon roots' },
  '0x0000f90827f1c53a10cb7a02335b175320002935': { name: 'EIP-2935 history' },
  '0x13b0d85ccb8bf860b6b79af3029fca081ae9bef2': { name: 'Create2Deployer' },
  '0x4e59b44847b379578588920ca78fbf26c0b4956c': { name: 'DeterministicDeploymentProxy' },
  '0xca11bde05977b3631167028862be2a173976ca11': { name: 'Multicall3' },
  '0x69f4d1788e39c87893c980c06edf4b7f686e2938': { name: 'Safe' },
  '0xfb1bffc9d739b8d520daf37df666da4c687191ea': { name: 'SafeL2' },
  '0x998739bfdaadde7c933b942a68053933098f9eda': { name: 'MultiSend' },
  '0xa1dabef33b3b82c7814b6d82a79e50f4ac44102b': { name: 'MultiSendCallOnly' },
  '0xba5ed099633d3b313e4d5f7bdc1305d3c28ba5ed': { name: 'CreateX' },
  '0x5ff137d4b0fdcd49dca30c7cf57e578a026d2789': { name: 'EntryPoint 0.6' },
  '0x7fc98430eaedbb6070b35b39d798725049088348': { name: 'SenderCreator 0.6' },
  '0x0000000071727de22e5e9d8baf0edac6f37da032': { name: 'EntryPoint 0.7' },
  '0xefc2c1444ebcc4db75e7613d20c6a62ff67a167c': { name: 'SenderCreator 0.7' },
  '0x914d7fec6aac8cd542e72bca78b30650d45643d7': { name: 'SafeSingletonFactory' },
  '0x000000000022d473030f116ddee9f6b43ac78ba3': { name: 'Permit2' },
  '0x5700000000000000000000000000000000000000': { name: 'StockToken', abi: 'StockToken' },
  '0x5700000000000000000000000000000000000100': { name: 'StockMarket', abi: 'StockMarket' },
  [REGISTRY_ADDRESS]: { name: 'OracleRegistry', abi: 'OracleRegistry' },
  '0x8453000000000000000000000000000000000001': { name: 'ActivationRegistry', abi: 'ActivationRegistry' },
  '0x8453000000000000000000000000000000000002': { name: 'PolicyRegistry', abi: 'PolicyRegistry' },
  [FACTORY_ADDRESS]: { name: 'StockFactory', abi: 'StockFactory' },
}

const KNOWN = new Map<string, KnownAddress>([
  ...DEVELOPMENT_ACCOUNTS.map((address, number) => [address, { name: `Account ${number}` }] as const),
  ...OP_STACK.map(([number, name, abi = name]) => [`0x42${number.padStart(38, '0')}`, { name, abi }] as const),
  ...DEMO_FEEDS.map(
    (symbol, index) => [feedAddress(index), { name: `${symbol} price feed`, abi: 'PriceFeed' }] as const,
  ),
  ...Object.entries(OTHERS),
])

function feedAddress(index: number): string {
  return `0x57${String(101 + index).padStart(38, '0')}`
}

/** Every address that `knownAddress` names. */
export function knownAddresses(): readonly { readonly name: string; readonly address: string }[] {
  return [...KNOWN].map(([address, { name }]) => ({ name, address }))
}

/**
 * The name of an address of genesis blocks, or of a development account.
 *
 * @param address in any case
 */
export function knownAddress(address: string): KnownAddress | undefined {
  return KNOWN.get(address.toLowerCase())
}
