// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {StockMultiplier} from "./StockMultiplier.sol";
import {StockPermit} from "./StockPermit.sol";
import {StockStorage} from "./StockStorage.sol";

/// @title A tokenized stock
/// @notice The shared implementation; each stock is a `StockProxy` with its own storage. This contract itself is not a
///         token.
/// @dev    Without immutables and state outside `StockStorage`, so that a genesis can place it at any address.
contract StockToken is StockPermit, StockMultiplier {
    constructor() {
        StockStorage.token().initialized = true;
    }

    /// @notice Initializes a new proxy, once, in the transaction that creates it.
    /// @param admin receives DEFAULT_ADMIN_ROLE; the zero address: no admin
    /// @param initCalls run on the token in order, without role checks and transfer policies
    function initialize(
        string calldata name_,
        string calldata symbol_,
        uint8 decimals_,
        address admin,
        bytes[] calldata initCalls
    ) external {
        StockStorage.Token storage token = StockStorage.token();
        if (token.initialized) revert AlreadyInitialized();
        token.initialized = true;
        token.name = name_;
        token.symbol = symbol_;
        token.supplyCap = MAX_SUPPLY_CAP;
        StockStorage.asset().decimals = decimals_;
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

    function name() external view returns (string memory) {
        return StockStorage.token().name;
    }

    function symbol() external view returns (string memory) {
        return StockStorage.token().symbol;
    }

    function decimals() external view returns (uint8) {
        uint8 stored = StockStorage.asset().decimals;
        return stored == 0 ? 6 : stored;
    }

    /// @notice ERC-7572.
    function contractURI() external view returns (string memory) {
        return StockStorage.token().contractURI;
    }

    /// @param key `isin`: the ISIN of the underlying
    /// @return the empty string if unset
    function extraMetadata(string calldata key) external view returns (string memory) {
        return StockStorage.asset().extraMetadata[key];
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

    function updateExtraMetadata(string calldata key, string calldata value) external {
        requireRole(METADATA_ROLE);
        if (bytes(key).length == 0) revert InvalidMetadataKey();
        StockStorage.asset().extraMetadata[key] = value;
        emit ExtraMetadataUpdated(key, value);
    }

    function isAnnouncementIdUsed(string calldata id) external view returns (bool) {
        return StockStorage.asset().usedAnnouncementIds[id];
    }

    /// @notice Runs calls on behalf of the caller between two events that announce them, all or none.
    /// @param id unused on this token so far
    function announce(
        bytes[] calldata internalCalls,
        string calldata id,
        string calldata description,
        string calldata uri
    ) external {
        requireRole(OPERATOR_ROLE);
        StockStorage.Asset storage asset = StockStorage.asset();
        if (asset.usedAnnouncementIds[id]) revert AnnouncementIdAlreadyUsed(id);
        asset.usedAnnouncementIds[id] = true;
        emit Announcement(msg.sender, id, description, uri);
        for (uint256 index = 0; index < internalCalls.length; index++) {
            runAnnounced(internalCalls[index]);
        }
        emit EndAnnouncement(id);
    }

    function runAnnounced(bytes calldata call) private {
        if (call.length < 4) revert InternalCallMalformed(call);
        if (bytes4(call) == this.announce.selector) revert AnnouncementInProgress();
        (bool success, bytes memory reason) = address(this).delegatecall(call);
        if (success) return;
        // Panic(uint256) indicates a defect, not a refusal: it passes through.
        if (reason.length >= 4 && bytes4(reason) == 0x4e487b71) revertWith(reason);
        revert InternalCallFailed(call);
    }

    function revertWith(bytes memory reason) private pure {
        assembly {
            revert(add(reason, 32), mload(reason))
        }
    }
}
