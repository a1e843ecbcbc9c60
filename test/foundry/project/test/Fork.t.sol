// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {Token} from "../src/Token.sol";
import {Vm, vm} from "../src/Vm.sol";

/// The cheatcodes that read a chain over JSON-RPC, on the chain with the token of the script. `BLOCK` is a block that
/// has the token, `TRANSACTION` a transfer of it to `RECEIVER` in a later block.
contract ForkTest {
    bool public constant IS_TEST = true;

    string url = vm.envString("RPC_URL");
    Token token = Token(vm.envAddress("TOKEN"));
    address holder = vm.envAddress("HOLDER");
    address receiver = vm.envAddress("RECEIVER");
    uint256 number = vm.envUint("BLOCK");
    bytes32 transaction = vm.envBytes32("TRANSACTION");

    function testReadsTheLatestState() external {
        vm.createSelectFork(url);
        require(token.balanceOf(holder) == 9 ether, "holder");
        require(token.balanceOf(receiver) == 1 ether, "receiver");
    }

    function testRollsToAnEarlierBlock() external {
        vm.createSelectFork(url);
        vm.rollFork(number);
        require(block.number == number, "number");
        require(token.balanceOf(holder) == 9 ether, "holder");
        require(token.balanceOf(receiver) == 0, "receiver");
    }

    function testKeepsTwoForksApart() external {
        uint256 latest = vm.createSelectFork(url);
        uint256 earlier = vm.createFork(url, number);
        vm.selectFork(earlier);
        require(vm.activeFork() == earlier, "active");
        require(token.balanceOf(receiver) == 0, "earlier");
        vm.selectFork(latest);
        require(token.balanceOf(receiver) == 1 ether, "latest");
    }

    function testForksBeforeATransactionAndExecutesIt() external {
        vm.selectFork(vm.createFork(url, transaction));
        require(token.balanceOf(receiver) == 0, "before");
        vm.transact(transaction);
        require(token.balanceOf(receiver) == 1 ether, "after");
    }

    function testReadsAndWritesSlots() external {
        vm.createSelectFork(url);
        require(uint256(vm.load(address(token), bytes32(uint256(2)))) == token.totalSupply(), "load");
        vm.store(address(token), bytes32(uint256(2)), bytes32(uint256(7)));
        require(token.totalSupply() == 7, "store");
    }

    function testActsForAHolder() external {
        vm.createSelectFork(url);
        vm.deal(holder, 1 ether);
        vm.prank(holder);
        token.transfer(receiver, 4 ether);
        require(token.balanceOf(receiver) == 5 ether && holder.balance == 1 ether, "prank");
    }

    function testReadsLogs() external {
        vm.createSelectFork(url);
        bytes32[] memory topics = new bytes32[](1);
        topics[0] = Token.Transfer.selector;
        Vm.EthGetLogs[] memory logs = vm.eth_getLogs(0, number, address(token), topics);
        require(logs.length == 7 && logs[0].emitter == address(token), "logs");
    }

    function testSendsARequest() external {
        vm.createSelectFork(url);
        bytes memory count = vm.rpc("eth_getTransactionCount", string.concat('["', vm.envString("SENDER"), '","latest"]'));
        require(count.length > 0, "count");
    }
}
