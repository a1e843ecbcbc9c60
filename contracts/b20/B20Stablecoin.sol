// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {B20Token} from "./B20Token.sol";

/// @title The stablecoin variant of a native token
contract B20Stablecoin is B20Token {
    /// @custom:storage-location erc7201:base.b20.stablecoin
    struct Stablecoin {
        string currency;
    }

    uint8 public constant decimals = 6;
    /// @dev keccak256(abi.encode(uint256(keccak256("base.b20.stablecoin")) - 1)) & ~0xff
    bytes32 private constant ROOT = 0x35827975a06ca0e9367ea3129b19441d45d0ca58e30b7693f09e73d0943d6200;

    constructor(uint8 upgrade_) B20Token(upgrade_) {}

    /// @notice The currency that the token stands for, such as `USD`.
    function currency() external view returns (string memory) {
        return stablecoin().currency;
    }

    /// @notice Initializes a new token in the transaction that creates it.
    function initialize(
        string calldata name_,
        string calldata symbol_,
        string calldata currency_,
        address admin,
        bytes[] calldata initCalls
    ) external onlyFactory {
        stablecoin().currency = currency_;
        initializeToken(name_, symbol_, admin, initCalls);
    }

    function stablecoin() private pure returns (Stablecoin storage place) {
        assembly {
            place.slot := ROOT
        }
    }
}
