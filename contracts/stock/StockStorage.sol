// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Storage layout of a stock token
/// @notice The two ERC-7201 namespaces of the asset standard with its offsets, so that `eth_getStorageAt` finds every
///         value at the standard's slot.
library StockStorage {
    struct TransferPolicies {
        uint64 sender;
        uint64 receiver;
        uint64 executor;
    }

    struct MintPolicies {
        uint64 receiver;
    }

    struct SeizePolicies {
        uint64 exempt;
        uint64 receiver;
    }

    /// @custom:storage-location erc7201:base.b20
    struct Token {
        string name;
        string symbol;
        string contractURI;
        uint256 totalSupply;
        mapping(address account => uint256) balances;
        mapping(address owner => mapping(address spender => uint256)) allowances;
        mapping(bytes32 role => mapping(address account => bool)) roles;
        mapping(bytes32 role => bytes32) roleAdmins;
        uint256 adminCount;
        TransferPolicies transferPolicies;
        MintPolicies mintPolicies;
        uint256 pausedVectors;
        uint256 supplyCap;
        mapping(address owner => uint256) nonces;
        SeizePolicies seizePolicies;
        bool initialized;
    }

    struct PendingMultiplier {
        uint128 multiplier;
        uint64 effectiveAt;
    }

    /// @custom:storage-location erc7201:base.b20.asset
    struct Asset {
        uint8 decimals;
        uint256 multiplier;
        mapping(string id => bool) usedAnnouncementIds;
        mapping(string key => string) extraMetadata;
        PendingMultiplier pending;
    }

    /// @dev keccak256(abi.encode(uint256(keccak256("base.b20")) - 1)) & ~0xff
    bytes32 private constant TOKEN_ROOT = 0xc78b71fee795ddd74aff64ea9b2474194c938c3196430e10bb5f01ed48434000;
    /// @dev keccak256(abi.encode(uint256(keccak256("base.b20.asset")) - 1)) & ~0xff
    bytes32 private constant ASSET_ROOT = 0xfdc6d4552d1286ade4d9facdbf0fb50d2ec9b89a90e104f26fd277585e374b00;

    function token() internal pure returns (Token storage place) {
        assembly {
            place.slot := TOKEN_ROOT
        }
    }

    function asset() internal pure returns (Asset storage place) {
        assembly {
            place.slot := ASSET_ROOT
        }
    }
}
