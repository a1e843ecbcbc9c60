// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Code of accounts that send batches on a development node
/// @notice An account delegates to this contract (EIP-7702) and calls itself: all calls of a batch succeed, or none
///   has an effect (EIP-5792, `wallet_sendCalls`). Nobody else can make the account do anything.
contract BatchExecutor {
    struct Call {
        address to;
        uint256 value;
        bytes data;
    }

    error OnlyTheAccountItself();

    receive() external payable {}

    /// @notice Makes calls in order. The first one that fails reverts all, with its return data.
    function execute(Call[] calldata calls) external payable {
        if (msg.sender != address(this)) revert OnlyTheAccountItself();
        for (uint256 index = 0; index < calls.length; index++) {
            Call calldata made = calls[index];
            (bool isDone, bytes memory result) = made.to.call{value: made.value}(made.data);
            if (!isDone) {
                assembly ("memory-safe") {
                    revert(add(result, 32), mload(result))
                }
            }
        }
    }

    /// @notice Signatures of the account stay valid for contracts that ask its code (EIP-1271).
    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        if (signature.length != 65) return 0xffffffff;
        address signer = ecrecover(
            hash,
            uint8(signature[64]),
            bytes32(signature[0:32]),
            bytes32(signature[32:64])
        );
        return signer == address(this) ? this.isValidSignature.selector : bytes4(0xffffffff);
    }

    /// @notice The account keeps receiving tokens that ask the code of their receiver (ERC-721, ERC-1155).
    function onERC721Received(address, address, uint256, bytes calldata) external pure returns (bytes4) {
        return this.onERC721Received.selector;
    }

    function onERC1155Received(address, address, uint256, uint256, bytes calldata) external pure returns (bytes4) {
        return this.onERC1155Received.selector;
    }

    function onERC1155BatchReceived(
        address,
        address,
        uint256[] calldata,
        uint256[] calldata,
        bytes calldata
    ) external pure returns (bytes4) {
        return this.onERC1155BatchReceived.selector;
    }

    /// @notice ERC-165
    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0x150b7a02 || id == 0x4e2312e0 || id == 0x1626ba7e;
    }
}
