import solc from 'solc'
import { type Abi, encodeDeployData, encodeFunctionData } from 'viem'
import { DEVELOPMENT_ACCOUNTS } from '../../src/chain/accounts/development-accounts.ts'
import { AUTO, type MiningMode } from '../../src/node/development/mining-mode.ts'
import type { Address, Hex } from '../../src/primitives/hex.ts'
import type { RpcDeps } from '../../src/rpc/context/dependencies.ts'
import { type RpcNode, startRpcNode } from './rpc-node.ts'

/** File of the contracts below. */
export const METER_PATH = 'src/Meter.sol'

/** A contract with a branch, an immutable and a library; one that calls it; and a proxy. */
export const METER_SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

library Scale {
    function twice(uint256 value) external pure returns (uint256) {
        return value * 2;
    }
}

contract Meter {
    uint256 public total;
    uint256 public immutable step;

    constructor(uint256 step_) {
        step = step_;
        total = 1;
    }

    receive() external payable {}

    function add(uint256 amount) external {
        if (amount > 100) {
            total += 100;
        } else {
            total += amount;
        }
    }

    function addTwice(uint256 amount) external {
        total += Scale.twice(amount);
    }

    function fail() external pure {
        revert("no");
    }
}

contract Caller {
    Meter private immutable meter;

    constructor(Meter meter_) {
        meter = meter_;
    }

    function addThrough(uint256 count) external {
        for (uint256 index = 1; index <= count; index++) {
            meter.add(index);
        }
        try meter.fail() {
            revert("unreachable");
        } catch {}
    }
}

contract Proxy {
    address private immutable implementation;

    constructor(address implementation_) {
        implementation = implementation_;
    }

    fallback() external payable {
        address target = implementation;
        assembly {
            calldatacopy(0, 0, calldatasize())
            let success := delegatecall(gas(), target, 0, calldatasize(), 0, 0)
            if iszero(success) { revert(0, 0) }
        }
    }
}
`

/** Settings of the compiler without outputs. */
export type CompilerSettings = Readonly<Record<string, unknown>>

/** Input of the compiler for the contracts above, with all outputs. */
export function meterInput(settings: CompilerSettings = {}) {
  const outputs = ['abi', 'metadata', 'evm.bytecode', 'evm.deployedBytecode', 'storageLayout']
  return {
    language: 'Solidity',
    sources: { [METER_PATH]: { content: METER_SOURCE } },
    settings: { evmVersion: 'prague', ...settings, outputSelection: { '*': { '*': outputs, '': ['ast'] } } },
  }
}

interface CompiledContract {
  readonly abi: Abi
  readonly evm: {
    readonly bytecode: { readonly object: string }
    readonly deployedBytecode: { readonly object: string }
  }
}

/** What the compiler returns for an input. */
export interface MeterOutput {
  readonly contracts: Readonly<Record<string, Readonly<Record<string, CompiledContract>>>>
}

export function compileMeter(settings?: CompilerSettings): MeterOutput {
  return JSON.parse(solc.compile(JSON.stringify(meterInput(settings))))
}

type ContractName = 'Scale' | 'Meter' | 'Caller' | 'Proxy'

/** The contracts above on a development node. */
export class MeasuredProject {
  readonly node: RpcNode
  readonly output: MeterOutput

  constructor(node: RpcNode, output: MeterOutput) {
    this.node = node
    this.output = output
  }

  compiled(name: ContractName): CompiledContract {
    return this.output.contracts[METER_PATH]![name]!
  }

  /** Deploys a contract. @param library replaces the placeholders of `Scale` */
  async deploy(name: ContractName, args: readonly unknown[] = [], library?: Address): Promise<Address> {
    const { abi, evm } = this.compiled(name)
    const code = evm.bytecode.object.replace(/__\$[0-9a-f]{34}\$__/g, library?.slice(2) ?? '')
    const receipt = await this.send({ data: encodeDeployData({ abi, bytecode: `0x${code}`, args }) })
    return receipt.contractAddress as Address
  }

  /** Calls a function in a transaction. @returns its receipt */
  call(to: Address, name: ContractName, functionName: string, args: readonly unknown[] = []) {
    return this.send({ to, data: encodeFunctionData({ abi: this.compiled(name).abi, functionName, args }) })
  }

  /** @returns the receipt of a transaction */
  async send(transaction: { readonly to?: Address; readonly data?: Hex; readonly value?: Hex }) {
    const from = DEVELOPMENT_ACCOUNTS[0]!.address
    const hash = await this.node.result('eth_sendTransaction', { from, gas: '0x2dc6c0', ...transaction })
    if (!this.node.node.isOnDemand) await this.node.nextFlashblock()
    return (await this.node.result('eth_getTransactionReceipt', hash)) as unknown as {
      readonly contractAddress: Address | null
      readonly gasUsed: Hex
      readonly status: Hex
      readonly transactionHash: Hex
      readonly blockNumber: Hex
    }
  }
}

export interface ProjectScene {
  readonly settings?: CompilerSettings
  readonly deps?: Pick<RpcDeps, 'interfaceOf'>
  readonly options?: Parameters<typeof startRpcNode>[0]
  /** Default: a block for each transaction. */
  readonly mining?: MiningMode
}

export async function openMeasuredProject({
  settings,
  deps,
  options,
  mining = AUTO,
}: ProjectScene = {}): Promise<MeasuredProject> {
  const node = await startRpcNode({ development: true, ...options }, { development: { mining } }, deps)
  return new MeasuredProject(node, compileMeter(settings))
}
