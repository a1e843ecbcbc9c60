// Entry of the package: everything that `import … from '@tickertape/node'` offers.

export {
  SupplyProofError,
  type SupplyProofErrorCode,
  type VerifiedSupply,
  type VerifySupplyOptions,
  verifySupply,
} from '../rest/supply-proof/verify-supply.ts'
export { createNode, type NodeAccount, type NodeListener, type TickertapeNode } from './create-node.ts'
export type { DevelopmentProvider, ForkingOptions, HexText, Quantity } from './development-provider.ts'
export { NodeError, type NodeErrorCode, ProviderRpcError } from './node-error.ts'
export type { ListenOptions, MiningText, NodeOptions } from './node-options.ts'
export type { Provider, ProviderEvents, ProviderMessage, RequestArguments } from './provider.ts'
export {
  type ReportedNode,
  type ReportFiles,
  type ReportTexts,
  startReports,
  writeReports,
} from './reports.ts'
