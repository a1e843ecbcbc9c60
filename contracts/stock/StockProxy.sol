// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Proxy of a stock: delegates to `StockToken` with its own storage
/// @dev   Neither an admin nor upgrades. Differs from an ERC-1167 clone in one respect: it rejects ether with the error
///        of the asset standard before anything else.
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
            // Solidity's memory layout is not needed after this.
            calldatacopy(0, 0, calldatasize())
            let success := delegatecall(gas(), target, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            switch success
            case 0 { revert(0, returndatasize()) }
            default { return(0, returndatasize()) }
        }
    }

    /// @dev Calldata without a selector runs nothing, with or without ether.
    receive() external payable {
        if (msg.value != 0) revert NonPayable();
        revert();
    }
}
