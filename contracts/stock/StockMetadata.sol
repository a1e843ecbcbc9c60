// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {StockPermit} from "./StockPermit.sol";
import {StockStorage} from "./StockStorage.sol";

/// @title Names, and the first calls of a new token
abstract contract StockMetadata is StockPermit {
    function name() external view returns (string memory) {
        return StockStorage.token().name;
    }

    function symbol() external view returns (string memory) {
        return StockStorage.token().symbol;
    }

    /// @notice ERC-7572.
    function contractURI() external view returns (string memory) {
        return StockStorage.token().contractURI;
    }

    function updateName(string calldata newName) external {
        requireRole(METADATA_ROLE);
        StockStorage.token().name = newName;
        emit NameUpdated(msg.sender, newName);
        emit EIP712DomainChanged();
    }

    function updateSymbol(string calldata newSymbol) external {
        requireRole(METADATA_ROLE);
        StockStorage.token().symbol = newSymbol;
        emit SymbolUpdated(msg.sender, newSymbol);
    }

    function updateContractURI(string calldata newURI) external {
        requireRole(METADATA_ROLE);
        StockStorage.token().contractURI = newURI;
        emit ContractURIUpdated();
    }

    /// @param admin receives DEFAULT_ADMIN_ROLE; the zero address: no admin
    /// @param initCalls run on the token in order, without role checks and transfer policies
    function initializeToken(string calldata name_, string calldata symbol_, address admin, bytes[] calldata initCalls)
        internal
    {
        StockStorage.Token storage token = StockStorage.token();
        token.name = name_;
        token.symbol = symbol_;
        token.supplyCap = MAX_SUPPLY_CAP;
        if (admin != address(0)) setRole(DEFAULT_ADMIN_ROLE, admin, true);
        creating = true;
        for (uint256 index = 0; index < initCalls.length; index++) {
            (bool success, bytes memory reason) = address(this).delegatecall(initCalls[index]);
            if (success) continue;
            if (reason.length > 0) revertWith(reason);
            revert InitCallFailed(index);
        }
        creating = false;
    }

    function revertWith(bytes memory reason) internal pure {
        assembly {
            revert(add(reason, 32), mload(reason))
        }
    }
}
