// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {StockMetadata} from "./StockMetadata.sol";
import {StockMultiplier} from "./StockMultiplier.sol";
import {StockStorage} from "./StockStorage.sol";

/// @title The asset variant: multiplier, batches, further metadata, announcements
abstract contract StockAsset is StockMetadata, StockMultiplier {
    function decimals() external view returns (uint8) {
        uint8 stored = StockStorage.asset().decimals;
        return stored == 0 ? 6 : stored;
    }

    /// @notice Mints to several recipients, all or none.
    function batchMint(address[] calldata recipients, uint256[] calldata amounts) external {
        requireMinter();
        if (recipients.length != amounts.length) revert LengthMismatch(recipients.length, amounts.length);
        if (recipients.length == 0) revert EmptyBatch();
        for (uint256 index = 0; index < recipients.length; index++) {
            mintChecked(recipients[index], amounts[index]);
        }
    }

    /// @param key `isin`: the ISIN of the underlying
    /// @return the empty string if unset
    function extraMetadata(string calldata key) external view returns (string memory) {
        return StockStorage.asset().extraMetadata[key];
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
}
