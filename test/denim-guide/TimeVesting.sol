// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

interface IBaseTime {
    function timestampMs() external view returns (uint64);
}

/// Vests an amount over a duration, on both sides of the activation.
contract TimeVesting {
    address constant BASE_TIME = 0x4200000000000000000000000000000000000030;

    uint256 public immutable total;
    uint256 public immutable startMs = nowMs();
    uint256 public immutable durationMs;

    constructor(uint256 total_, uint256 duration) {
        total = total_;
        durationMs = duration * 1000;
    }

    function vested() external view returns (uint256) {
        uint256 passed = nowMs() - startMs;
        return passed >= durationMs ? total : (total * passed) / durationMs;
    }

    /// Before Denim, BaseTime has no answer, and seconds are exact.
    function nowMs() public view returns (uint256) {
        (bool success, bytes memory result) = BASE_TIME.staticcall(abi.encodeCall(IBaseTime.timestampMs, ()));
        return success && result.length == 32 ? abi.decode(result, (uint64)) : block.timestamp * 1000;
    }
}
