// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {StockBalances} from "./StockBalances.sol";
import {StockStorage} from "./StockStorage.sol";

/// @title Shares per unit: ERC-8056 with ERC-165
/// @notice Multipliers have 18 decimals and are absolute, not relative to the previous one. They do not change balances
///         and supply. A scheduled multiplier takes effect at its time without a write or an event.
abstract contract StockMultiplier is StockBalances {
    bytes32 public constant OPERATOR_ROLE = keccak256("OPERATOR_ROLE");
    uint256 public constant WAD_PRECISION = 1e18;
    uint256 public constant MAX_UI_MULTIPLIER = type(uint128).max;

    function multiplier() public view returns (uint256) {
        StockStorage.PendingMultiplier memory pending = StockStorage.asset().pending;
        return isLiveOrNone(pending) ? storedMultiplier() : pending.multiplier;
    }

    function uiMultiplier() external view returns (uint256) {
        return multiplier();
    }

    /// @return the scheduled multiplier before it takes effect, afterwards the current one
    function newUIMultiplier() external view returns (uint256) {
        StockStorage.PendingMultiplier memory pending = StockStorage.asset().pending;
        return pending.effectiveAt > block.timestamp ? pending.multiplier : multiplier();
    }

    /// @return the time of the latest schedule, even if past; 0 if there is none
    function effectiveAt() external view returns (uint256) {
        return StockStorage.asset().pending.effectiveAt;
    }

    function toUIAmount(uint256 rawAmount) public view returns (uint256) {
        return rawAmount * multiplier() / WAD_PRECISION;
    }

    function fromUIAmount(uint256 uiAmount) public view returns (uint256) {
        return uiAmount * WAD_PRECISION / multiplier();
    }

    function balanceOfUI(address account) public view returns (uint256) {
        return toUIAmount(balanceOf(account));
    }

    function totalSupplyUI() external view returns (uint256) {
        return toUIAmount(totalSupply());
    }

    /// @notice Former name of `balanceOfUI`.
    function scaledBalanceOf(address account) external view returns (uint256) {
        return balanceOfUI(account);
    }

    /// @notice Former name of `toUIAmount`.
    function toScaledBalance(uint256 rawBalance) external view returns (uint256) {
        return toUIAmount(rawBalance);
    }

    /// @notice Former name of `fromUIAmount`.
    function toRawBalance(uint256 scaledBalance) external view returns (uint256) {
        return fromUIAmount(scaledBalance);
    }

    /// @notice Schedules a multiplier and replaces a pending one. A schedule that is due becomes the current one.
    /// @param newEffectiveAt Unix seconds, after this block
    function updateUIMultiplier(uint256 newMultiplier, uint256 newEffectiveAt) external {
        requireRole(OPERATOR_ROLE);
        requireMultiplier(newMultiplier);
        if (newEffectiveAt <= block.timestamp) revert EffectiveAtInPast(newEffectiveAt);
        if (newEffectiveAt > type(uint64).max) revert EffectiveAtTooFar(newEffectiveAt);
        StockStorage.Asset storage asset = StockStorage.asset();
        StockStorage.PendingMultiplier memory pending = asset.pending;
        if (pending.effectiveAt > block.timestamp) revert UIMultiplierUpdateExists(pending.effectiveAt);
        if (pending.effectiveAt != 0) asset.multiplier = pending.multiplier;
        asset.pending = StockStorage.PendingMultiplier(uint128(newMultiplier), uint64(newEffectiveAt));
        emit UIMultiplierUpdated(storedMultiplier(), newMultiplier, newEffectiveAt);
    }

    function cancelUIMultiplierUpdate() external {
        requireRole(OPERATOR_ROLE);
        StockStorage.Asset storage asset = StockStorage.asset();
        StockStorage.PendingMultiplier memory pending = asset.pending;
        if (pending.effectiveAt <= block.timestamp) revert UIMultiplierUpdateDoesNotExist();
        delete asset.pending;
        emit UIMultiplierUpdateCancelled(pending.multiplier, pending.effectiveAt);
    }

    /// @notice Sets the multiplier immediately and discards a scheduled one; prefer `updateUIMultiplier`.
    function updateMultiplier(uint256 newMultiplier) external {
        requireRole(OPERATOR_ROLE);
        if (!hasCobaltRules()) return replaceMultiplier(newMultiplier);
        requireMultiplier(newMultiplier);
        StockStorage.Asset storage asset = StockStorage.asset();
        StockStorage.PendingMultiplier memory pending = asset.pending;
        uint256 oldMultiplier = multiplier();
        asset.multiplier = newMultiplier;
        if (pending.effectiveAt != 0) delete asset.pending;
        if (pending.effectiveAt > block.timestamp) {
            emit UIMultiplierUpdateCancelled(pending.multiplier, pending.effectiveAt);
        }
        emit MultiplierUpdated(newMultiplier);
        emit UIMultiplierUpdated(oldMultiplier, newMultiplier, block.timestamp);
    }

    function supportsInterface(bytes4 interfaceId) external pure returns (bool) {
        return interfaceId == this.supportsInterface.selector || interfaceId == this.uiMultiplier.selector
            || interfaceId == this.newUIMultiplier.selector ^ this.effectiveAt.selector
            || interfaceId == this.balanceOfUI.selector ^ this.totalSupplyUI.selector
            || interfaceId == this.toUIAmount.selector ^ this.fromUIAmount.selector;
    }

    function isLiveOrNone(StockStorage.PendingMultiplier memory pending) private view returns (bool) {
        return pending.effectiveAt == 0 || pending.effectiveAt > block.timestamp;
    }

    /// @dev Unset storage reads as one share per unit.
    function storedMultiplier() private view returns (uint256) {
        uint256 stored = StockStorage.asset().multiplier;
        return stored == 0 ? WAD_PRECISION : stored;
    }

    /// @dev `updateMultiplier` before scheduled multipliers existed.
    function replaceMultiplier(uint256 newMultiplier) private {
        if (newMultiplier == 0) revert InvalidMultiplier();
        StockStorage.asset().multiplier = newMultiplier;
        emit MultiplierUpdated(newMultiplier);
    }

    function requireMultiplier(uint256 newMultiplier) private pure {
        if (newMultiplier == 0 || newMultiplier > MAX_UI_MULTIPLIER) revert InvalidMultiplier();
    }
}
