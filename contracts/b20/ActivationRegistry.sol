// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {NativeTokens, UnknownFunctions} from "./NativeTokens.sol";

/// @title Which features of Base are active
contract ActivationRegistry is UnknownFunctions {
    /// @custom:storage-location erc7201:base.activation_registry
    struct Registry {
        mapping(bytes32 feature => bool) features;
        address admin;
    }

    /// @dev keccak256(abi.encode(uint256(keccak256("base.activation_registry")) - 1)) & ~0xff
    bytes32 private constant ROOT = 0x43ee1bbe25e988521cccd8b2c8fbd38c8287ebff8e074e825a70dfd3885cce00;

    /// @dev The admins that Base's node has for its networks (crates/common/chains).
    address private constant MAINNET_ADMIN = 0xcE3a3bEE7E72E2A24079f3c0Cb3b97740ED425A9;
    address private constant SEPOLIA_ADMIN = 0x5F43072722f59964d886CBb507F6a85ca0759D42;
    uint256 private constant SEPOLIA_CHAIN_ID = 84_532;

    uint8 private immutable upgrade;

    event FeatureActivated(bytes32 indexed feature, address indexed caller);
    event FeatureDeactivated(bytes32 indexed feature, address indexed caller);
    event AdminChanged(address indexed previousAdmin, address indexed newAdmin, address indexed caller);

    error Unauthorized(address caller);
    error AlreadyActivated(bytes32 feature);
    error FeatureNotActivated(bytes32 feature);
    error DelegateCallNotAllowed();
    error StaticCallNotAllowed();
    error AdminStorageNotEnabled();
    error ZeroAdminAddress();

    /// @param upgrade_ upgrade of Base: 1 Beryl, 2 Cobalt, 3 Denim
    constructor(uint8 upgrade_) {
        upgrade = upgrade_;
    }

    /// @notice The admin in the state, or else that of the network. Under Beryl, Base ignores the one in the state.
    function admin() public view returns (address) {
        address stored = registry().admin;
        if (stored != address(0)) return stored;
        return block.chainid == SEPOLIA_CHAIN_ID ? SEPOLIA_ADMIN : MAINNET_ADMIN;
    }

    function isActivated(bytes32 feature) external view returns (bool) {
        return registry().features[feature];
    }

    function checkActivated(bytes32 feature) public view {
        if (!registry().features[feature]) revert FeatureNotActivated(feature);
    }

    function activate(bytes32 feature) external {
        requireNotStatic();
        requireAdmin();
        if (registry().features[feature]) revert AlreadyActivated(feature);
        NativeTokens.placeMarker(address(this));
        registry().features[feature] = true;
        emit FeatureActivated(feature, msg.sender);
    }

    function deactivate(bytes32 feature) external {
        requireNotStatic();
        requireAdmin();
        checkActivated(feature);
        registry().features[feature] = false;
        emit FeatureDeactivated(feature, msg.sender);
    }

    /// @notice Replaces the admin at once.
    function setAdmin(address newAdmin) external {
        requireNotStatic();
        if (upgrade < NativeTokens.COBALT) revert AdminStorageNotEnabled();
        if (newAdmin == address(0)) revert ZeroAdminAddress();
        requireAdmin();
        NativeTokens.placeMarker(address(this));
        registry().admin = newAdmin;
        emit AdminChanged(msg.sender, newAdmin, msg.sender);
    }

    function requireNotStatic() private {
        if (NativeTokens.isStatic()) revert StaticCallNotAllowed();
    }

    function requireAdmin() private view {
        if (msg.sender != admin()) revert Unauthorized(msg.sender);
    }

    function registry() private pure returns (Registry storage place) {
        assembly {
            place.slot := ROOT
        }
    }
}
