// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {StockProxy} from "./StockProxy.sol";
import {StockToken} from "./StockToken.sol";

/// @title Factory and registry of tokenized stocks
/// @notice Any account may create a stock. Its address depends on the caller and a salt.
contract StockFactory {
    /// @dev The ABI-encoded content of `params`.
    struct AssetParams {
        uint8 version;
        string name;
        string symbol;
        address initialAdmin;
        uint8 decimals;
    }

    uint8 private constant ASSET = 0;
    uint8 private constant VERSION = 1;

    /// @notice The implementation that all stocks share.
    address public immutable implementation;
    address[] private stocks;
    mapping(address account => bool) private listed;

    event B20Created(
        address indexed token,
        uint8 indexed variant,
        string name,
        string symbol,
        uint8 decimals,
        bytes variantEventParams
    );

    error NonPayable();
    error InvalidVariant();
    error UnsupportedVersion(uint8 version, uint8 variant);
    error InvalidDecimals(uint8 decimals);
    error TokenAlreadyExists(address token);

    /// @param existing stocks that exist already, listed first; they have no `B20Created` event
    constructor(address implementation_, address[] memory existing) {
        implementation = implementation_;
        for (uint256 index = 0; index < existing.length; index++) {
            list(existing[index]);
        }
    }

    /// @notice Creates a stock and runs `initCalls` on it, atomically.
    /// @param variant must be 0, an asset
    /// @param params ABI encoding of (version 1, name, symbol, initialAdmin, decimals 6 to 18), as one struct
    /// @param initCalls calldata for the new stock; exempt from roles and transfer policies
    function createB20(uint8 variant, bytes32 salt, bytes calldata params, bytes[] calldata initCalls)
        external
        payable
        returns (address token)
    {
        if (msg.value != 0) revert NonPayable();
        if (variant != ASSET) revert InvalidVariant();
        AssetParams memory asset = abi.decode(params, (AssetParams));
        if (asset.version != VERSION) revert UnsupportedVersion(asset.version, variant);
        if (asset.decimals < 6 || asset.decimals > 18) revert InvalidDecimals(asset.decimals);
        token = getB20Address(variant, msg.sender, salt);
        if (token.code.length != 0) revert TokenAlreadyExists(token);
        new StockProxy{salt: saltOf(variant, msg.sender, salt)}(implementation);
        list(token);
        emit B20Created(token, variant, asset.name, asset.symbol, asset.decimals, "");
        StockToken(token).initialize(asset.name, asset.symbol, asset.decimals, asset.initialAdmin, initCalls);
    }

    /// @notice The address of a stock that `sender` creates with this salt (EIP-1014).
    function getB20Address(uint8 variant, address sender, bytes32 salt) public view returns (address) {
        bytes32 codeHash = keccak256(abi.encodePacked(type(StockProxy).creationCode, abi.encode(implementation)));
        bytes32 hash = keccak256(abi.encodePacked(hex"ff", address(this), saltOf(variant, sender, salt), codeHash));
        return address(uint160(uint256(hash)));
    }

    /// @notice Whether the factory created this stock.
    function isB20(address token) external view returns (bool) {
        return listed[token];
    }

    /// @notice Equal to `isB20`: creation is atomic.
    function isB20Initialized(address token) external view returns (bool) {
        return listed[token];
    }

    function stockCount() external view returns (uint256) {
        return stocks.length;
    }

    /// @notice A page of the list in the order of creation, with at most `limit` entries from `offset` on.
    function stocksFrom(uint256 offset, uint256 limit) external view returns (address[] memory page) {
        uint256 left = offset < stocks.length ? stocks.length - offset : 0;
        page = new address[](limit < left ? limit : left);
        for (uint256 index = 0; index < page.length; index++) {
            page[index] = stocks[offset + index];
        }
    }

    function list(address stock) private {
        stocks.push(stock);
        listed[stock] = true;
    }

    function saltOf(uint8 variant, address sender, bytes32 salt) private pure returns (bytes32) {
        return keccak256(abi.encode(variant, sender, salt));
    }
}
