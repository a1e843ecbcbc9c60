// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// The cheatcodes of Foundry that this project uses.
interface Vm {
    function startBroadcast() external;
    function stopBroadcast() external;
    function envString(string calldata name) external view returns (string memory);
    function envAddress(string calldata name) external view returns (address);
    function envUint(string calldata name) external view returns (uint256);
    function envBytes32(string calldata name) external view returns (bytes32);
    function createSelectFork(string calldata url) external returns (uint256);
    function createFork(string calldata url, uint256 number) external returns (uint256);
    function createFork(string calldata url, bytes32 transaction) external returns (uint256);
    function selectFork(uint256 id) external;
    function rollFork(uint256 number) external;
    function activeFork() external view returns (uint256);
    function makePersistent(address account) external;
    function transact(bytes32 transaction) external;
    function deal(address account, uint256 balance) external;
    function prank(address sender) external;
    function load(address account, bytes32 slot) external view returns (bytes32);
    function store(address account, bytes32 slot, bytes32 value) external;
    function rpc(string calldata method, string calldata params) external returns (bytes memory);
    function eth_getLogs(uint256 from, uint256 to, address account, bytes32[] calldata topics)
        external
        returns (EthGetLogs[] memory);

    struct EthGetLogs {
        address emitter;
        bytes32[] topics;
        bytes data;
        bytes32 blockHash;
        uint64 blockNumber;
        bytes32 transactionHash;
        uint64 transactionIndex;
        uint256 logIndex;
        bool removed;
    }
}

Vm constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));
