// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title What stands at a stock's address: it runs the shared code of `StockToken` on its own storage
/// @dev   No admin and no way to another implementation. An ERC-1167 clone would do but for ether, which the asset
///   standard
///        refuses with an error of its own before it looks at anything else.
contract StockProxy {
    address private immutable implementation;

    error NonPayable();

    constructor(address implementation_) {
        implementation = implementation_;
    }

    fallback() external payable {
        if (msg.value != 0) revert NonPayable();
        address target = implementation;
        assembly {
            // Nothing follows that would need Solidity's memory.
            calldatacopy(0, 0, calldatasize())
            let success := delegatecall(gas(), target, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            switch success
            case 0 { revert(0, returndatasize()) }
            default { return(0, returndatasize()) }
        }
    }

    /// @dev Calldata without a selector runs nothing, with ether or without.
    receive() external payable {
        if (msg.value != 0) revert NonPayable();
        revert();
    }
}
