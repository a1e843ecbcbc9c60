// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {NativeTokens, UnknownFunctions} from "./NativeTokens.sol";

/// @title Which features of Base are active
contract ActivationRegistry is UnknownFunctions {
    /// @dev The admin on Base, unless block 0 names another one.
    address private constant DEFAULT_ADMIN = 0xcE3a3bEE7E72E2A24079f3c0Cb3b97740ED425A9;

    mapping(bytes32 feature => bool) private features;
    address private adminOfState;

    event FeatureActivated(bytes32 indexed feature, address indexed caller);
    event FeatureDeactivated(bytes32 indexed feature, address indexed caller);

    error Unauthorized(address caller);
    error AlreadyActivated(bytes32 feature);
    error FeatureNotActivated(bytes32 feature);
    error DelegateCallNotAllowed();
    error StaticCallNotAllowed();

    function admin() public view returns (address) {
        return adminOfState == address(0) ? DEFAULT_ADMIN : adminOfState;
    }

    function isActivated(bytes32 feature) external view returns (bool) {
        return features[feature];
    }

    function checkActivated(bytes32 feature) public view {
        if (!features[feature]) revert FeatureNotActivated(feature);
    }

    function activate(bytes32 feature) external {
        requireAdmin();
        if (features[feature]) revert AlreadyActivated(feature);
        NativeTokens.placeMarker(address(this));
        features[feature] = true;
        emit FeatureActivated(feature, msg.sender);
    }

    function deactivate(bytes32 feature) external {
        requireAdmin();
        checkActivated(feature);
        features[feature] = false;
        emit FeatureDeactivated(feature, msg.sender);
    }

    function requireAdmin() private {
        if (NativeTokens.isStatic()) revert StaticCallNotAllowed();
        if (msg.sender != admin()) revert Unauthorized(msg.sender);
    }
}
