// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ActivationRegistry} from "./ActivationRegistry.sol";
import {B20Asset} from "./B20Asset.sol";
import {B20Stablecoin} from "./B20Stablecoin.sol";
import {NativeTokens, UnknownFunctions} from "./NativeTokens.sol";

/// @title Factory of native tokens
/// @notice Any account may create a token. Its address depends on the variant, the caller and a salt.
contract B20Factory is UnknownFunctions {
    /// @dev The ABI-encoded content of `params`.
    struct AssetParams {
        uint8 version;
        string name;
        string symbol;
        address initialAdmin;
        uint8 decimals;
    }

    struct StablecoinParams {
        uint8 version;
        string name;
        string symbol;
        address initialAdmin;
        string currency;
    }

    /// @dev The ABI-encoded content of `variantEventParams` of a stablecoin.
    struct StablecoinEventParams {
        uint8 version;
        string currency;
    }

    /// @custom:storage-location erc7201:tickertape.b20.list
    struct List {
        address[] tokens;
    }

    uint8 private constant ASSET = 0;
    uint8 private constant STABLECOIN = 1;
    uint8 private constant VERSION = 1;
    uint8 private constant STABLECOIN_DECIMALS = 6;
    bytes32 private constant MARKER_HASH = keccak256(hex"ef");
    /// @dev keccak256(abi.encode(uint256(keccak256("tickertape.b20.list")) - 1)) & ~0xff
    bytes32 private constant LIST_ROOT = 0xec301ec4db88487606b3cf19b8095c941bced0ff1c20ad5b402bd8cdc0444a00;

    event B20Created(
        address indexed token,
        uint8 indexed variant,
        string name,
        string symbol,
        uint8 decimals,
        bytes variantEventParams
    );

    error NonPayable();
    error FeatureNotActivated(bytes32 feature);
    error InvalidVariant();
    error UnsupportedVersion(uint8 version, uint8 variant);
    error InvalidDecimals(uint8 decimals);
    error TokenAlreadyExists(address token);
    error MissingRequiredField(string field);
    error InvalidCurrency(string currency);

    /// @notice Creates a token and runs `initCalls` on it, atomically.
    /// @param variant 0: an asset, 1: a stablecoin
    /// @param params ABI encoding of one struct: version 1, name, symbol, initialAdmin and the decimals of an asset, 6
    ///        to 18, or the currency of a stablecoin, letters A to Z
    /// @param initCalls calldata for the new token; exempt from roles and transfer policies
    function createB20(uint8 variant, bytes32 salt, bytes calldata params, bytes[] calldata initCalls)
        external
        returns (address token)
    {
        token = getB20Address(variant, msg.sender, salt);
        requireActivated(variant == ASSET ? NativeTokens.ASSET_FEATURE : NativeTokens.STABLECOIN_FEATURE);
        if (variant == ASSET) createAsset(token, params, initCalls);
        else createStablecoin(token, params, initCalls);
    }

    /// @notice The address of a token that `sender` creates with this salt.
    function getB20Address(uint8 variant, address sender, bytes32 salt) public pure returns (address) {
        if (variant > STABLECOIN) revert InvalidVariant();
        uint160 suffix = uint72(bytes9(keccak256(abi.encode(sender, salt))));
        return address(uint160(0xB2) << 152 | uint160(variant) << 72 | suffix);
    }

    /// @notice Whether an address is reserved for tokens.
    function isB20(address token) public pure returns (bool) {
        return uint160(token) >> 80 == uint160(0xB2) << 72;
    }

    function isB20Initialized(address token) external view returns (bool) {
        return isB20(token) && token.codehash == MARKER_HASH;
    }

    /// @notice A page of all tokens in the order of creation, with at most `limit` entries from `offset` on.
    /// @dev Base's factory has no list: this function and the next one are for services beside the node.
    function stocksFrom(uint256 offset, uint256 limit) external view returns (address[] memory page) {
        address[] storage tokens = list().tokens;
        uint256 left = offset < tokens.length ? tokens.length - offset : 0;
        page = new address[](limit < left ? limit : left);
        for (uint256 index = 0; index < page.length; index++) {
            page[index] = tokens[offset + index];
        }
    }

    function stockCount() external view returns (uint256) {
        return list().tokens.length;
    }

    function createAsset(address token, bytes calldata params, bytes[] calldata initCalls) private {
        AssetParams memory asset = abi.decode(params, (AssetParams));
        if (asset.version != VERSION) revert UnsupportedVersion(asset.version, ASSET);
        if (asset.decimals < 6 || asset.decimals > 18) revert InvalidDecimals(asset.decimals);
        place(token);
        emit B20Created(token, ASSET, asset.name, asset.symbol, asset.decimals, "");
        B20Asset(token).initialize(asset.name, asset.symbol, asset.decimals, asset.initialAdmin, initCalls);
    }

    function createStablecoin(address token, bytes calldata params, bytes[] calldata initCalls) private {
        StablecoinParams memory coin = abi.decode(params, (StablecoinParams));
        if (coin.version != VERSION) revert UnsupportedVersion(coin.version, STABLECOIN);
        place(token);
        requireCurrency(coin.currency);
        bytes memory eventParams = abi.encode(StablecoinEventParams(VERSION, coin.currency));
        emit B20Created(token, STABLECOIN, coin.name, coin.symbol, STABLECOIN_DECIMALS, eventParams);
        B20Stablecoin(token).initialize(coin.name, coin.symbol, coin.currency, coin.initialAdmin, initCalls);
    }

    function place(address token) private {
        if (token.code.length != 0) revert TokenAlreadyExists(token);
        NativeTokens.placeMarker(address(this));
        NativeTokens.placeMarker(token);
        list().tokens.push(token);
    }

    function requireActivated(bytes32 feature) private view {
        if (!ActivationRegistry(NativeTokens.ACTIVATION_REGISTRY).isActivated(feature)) {
            revert FeatureNotActivated(feature);
        }
    }

    function requireCurrency(string memory currency) private pure {
        bytes memory letters = bytes(currency);
        if (letters.length == 0) revert MissingRequiredField("currency");
        for (uint256 index = 0; index < letters.length; index++) {
            if (letters[index] < "A" || letters[index] > "Z") revert InvalidCurrency(currency);
        }
    }

    function list() private pure returns (List storage place_) {
        assembly {
            place_.slot := LIST_ROOT
        }
    }
}
