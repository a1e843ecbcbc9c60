// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {Counter} from "../src/Counter.sol";
import {Token} from "../src/Token.sol";
import {vm} from "../src/Vm.sol";

/// Twelve transactions that depend on each other.
contract Deploy {
    bool public constant IS_SCRIPT = true;

    function run() external returns (Token token, Counter counter) {
        address holder = vm.envAddress("HOLDER");
        vm.startBroadcast();
        token = new Token(1_000 ether);
        counter = new Counter();
        for (uint256 i = 0; i < 3; i++) {
            token.mint(holder, 1 ether);
            token.transfer(holder, 2 ether);
            counter.increment();
        }
        token.approve(holder, 5 ether);
        vm.stopBroadcast();

        require(token.balanceOf(holder) == 9 ether, "balance");
        require(counter.count() == 3, "count");
    }
}
