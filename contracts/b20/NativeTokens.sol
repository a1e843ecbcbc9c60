// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Addresses and upgrades of Base's native tokens (B20)
/// @dev   The node runs the code of these contracts at their addresses, and that of a token at each address where the
///        factory placed the marker 0xef (docs/adr/0018-native-tokens.md). The checks with which the node lets the code
///        begin cause the errors NonPayable and DelegateCallNotAllowed (src/chain/b20/native-code.ts).
library NativeTokens {
    address internal constant FACTORY = 0xB20f000000000000000000000000000000000000;
    address internal constant ACTIVATION_REGISTRY = 0x8453000000000000000000000000000000000001;
    address internal constant POLICY_REGISTRY = 0x8453000000000000000000000000000000000002;
    /// @dev Serves these contracts only; to others it is an account without code.
    address private constant HOST = 0xB20f0000000000000000000000000000000000Ff;

    uint8 internal constant COBALT = 2;
    uint8 internal constant DENIM = 3;

    bytes32 internal constant ASSET_FEATURE = keccak256("base.b20_asset");
    bytes32 internal constant STABLECOIN_FEATURE = keccak256("base.b20_stablecoin");
    bytes32 internal constant POLICY_REGISTRY_FEATURE = keccak256("base.policy_registry");

    /// @notice Sets the code of an account to the marker. Without it the account would be empty (EIP-161).
    function placeMarker(address account) internal {
        if (account.code.length != 0) return;
        (bool success,) = HOST.call(abi.encodePacked(account));
        if (!success) revert();
    }

    /// @notice Whether the frame may not write (EIP-214).
    function isStatic() internal returns (bool) {
        (, bytes memory output) = HOST.call("");
        return abi.decode(output, (bool));
    }
}

/// @title Rejection of an unknown function
abstract contract UnknownFunctions {
    fallback() external {
        rejectSelector();
    }

    /// @dev The revert data is the selector, zeros for calldata without one.
    function rejectSelector() internal pure {
        bytes4 selector = msg.data.length < 4 ? bytes4(0) : msg.sig;
        assembly {
            mstore(0, selector)
            revert(0, 4)
        }
    }
}
