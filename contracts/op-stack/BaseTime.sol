// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Milliseconds of a block
/// @notice Milliseconds of the current block, whose `block.timestamp` has seconds only. The second transaction of
///   each block sets them (Base specs: Denim). During the first transaction they are still those of the block before.
contract BaseTime {
    error BaseTime_NotDepositor();
    error BaseTime_InvalidTimestampMillisPart();

    address private constant DEPOSITOR_ACCOUNT = 0xDeaDDEaDDeAdDeAdDEAdDEaddeAddEAdDEAd0001;

    /// 0, 200, 400, 600 or 800.
    uint16 public timestampMillisPart;

    function setTimestampMillisPart(uint16 millisPart) external {
        if (msg.sender != DEPOSITOR_ACCOUNT) revert BaseTime_NotDepositor();
        if (millisPart > 800 || millisPart % 200 != 0) revert BaseTime_InvalidTimestampMillisPart();
        timestampMillisPart = millisPart;
    }

    /// Unix milliseconds of the current block.
    function timestampMs() external view returns (uint64) {
        unchecked {
            return uint64(block.timestamp * 1000 + timestampMillisPart);
        }
    }

    function version() external pure returns (string memory) {
        return "1.0.0";
    }
}
