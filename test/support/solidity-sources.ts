import solc from 'solc'
import { compileContract } from '../../src/sources/compiler/compile-contract.ts'
import type { Compilation, CompileRequest } from '../../src/sources/compiler/compile-messages.ts'
import type { StandardInput } from '../../src/sources/compiler/standard-json.ts'

/** Compiles in this process, without limits, with the compiler of the development dependencies. */
export async function compileHere({
  input,
  contract,
}: Pick<CompileRequest, 'input' | 'contract'>): Promise<Compilation> {
  const [compilerVersion] = /^[^+]+\+commit\.[0-9a-f]+/.exec(solc.version())!
  return { compilerVersion, contract: compileContract(solc.compile, input, contract) }
}

/** Version of that compiler, as tools send it. */
export const SOLC_VERSION = `v${/^[^+]+\+commit\.[0-9a-f]+/.exec(solc.version())![0]}`

const HEADER = '// SPDX-License-Identifier: MIT\npragma solidity ^0.8.20;\n'

/** A library that is linked, contracts with immutables, a proxy, and a factory. */
export const SOURCES = {
  'src/Shares.sol': `${HEADER}
library Shares {
    function after_(uint256 amount, uint256 fee) external pure returns (uint256) {
        return amount - (amount * fee) / 10_000;
    }
}
`,
  'src/Vault.sol': `${HEADER}
import {Shares} from "./Shares.sol";

contract Vault {
    address public immutable owner;
    uint256 public immutable fee;
    string public name;

    constructor(uint256 fee_, string memory name_) {
        owner = msg.sender;
        fee = fee_;
        name = name_;
    }

    function quote(uint256 amount) external view returns (uint256) {
        return Shares.after_(amount, fee);
    }
}
`,
  'src/Proxy.sol': `${HEADER}
contract Proxy {
    bytes32 private constant SLOT = 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc;

    constructor(address implementation) {
        assembly {
            sstore(SLOT, implementation)
        }
    }

    fallback() external payable {
        assembly {
            calldatacopy(0, 0, calldatasize())
            let success := delegatecall(gas(), sload(SLOT), 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            switch success
            case 0 { revert(0, returndatasize()) }
            default { return(0, returndatasize()) }
        }
    }
}
`,
  'src/Factory.sol': `${HEADER}
contract Child {
    uint256 public value;

    constructor(uint256 value_) {
        value = value_;
    }
}

contract Factory {
    event Created(address child);

    function create(uint256 value) external {
        emit Created(address(new Child(value)));
    }
}
`,
} as const

/**
 * Compiler input with these sources.
 *
 * @param change changes the text of each source
 */
export function inputOf(
  settings: Readonly<Record<string, unknown>> = {},
  change: (text: string) => string = (text) => text,
): StandardInput {
  const sources = Object.entries(SOURCES).map(([path, text]) => [path, { content: change(text) }])
  return { language: 'Solidity', sources: Object.fromEntries(sources), settings: { evmVersion: 'prague', ...settings } }
}
