// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Internal functions, which the compiler copies into the contracts that use them.
library SwapMath {
    uint256 internal constant FEE_BASIS_POINTS = 30;

    // Names of currencies as in € are more than one byte in UTF-8.
    function feeOf(uint256 amount) internal pure returns (uint256) {
        return (amount * FEE_BASIS_POINTS) / 10_000;
    }

    function amountOut(uint256 amountIn, uint256 reserveIn, uint256 reserveOut) internal pure returns (uint256) {
        uint256 product = amountIn * reserveOut;
        uint256 sum = reserveIn + amountIn;
        return product / sum;
    }
}
