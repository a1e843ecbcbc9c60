// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {StockBalances} from "./StockBalances.sol";
import {StockStorage} from "./StockStorage.sol";

/// @title Allowances by signature: EIP-2612, with the domain of ERC-5267
/// @dev   The domain is computed on each use, because the name and the chain id can change.
abstract contract StockPermit is StockBalances {
    bytes32 private constant DOMAIN_TYPE =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    bytes32 private constant PERMIT_TYPE =
        keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");

    function DOMAIN_SEPARATOR() public view returns (bytes32) {
        bytes32 nameHash = keccak256(bytes(StockStorage.token().name));
        return keccak256(abi.encode(DOMAIN_TYPE, nameHash, keccak256("1"), block.chainid, address(this)));
    }

    function nonces(address owner) external view returns (uint256) {
        return StockStorage.token().nonces[owner];
    }

    function eip712Domain()
        external
        view
        returns (
            bytes1 fields,
            string memory name,
            string memory version,
            uint256 chainId,
            address verifyingContract,
            bytes32 salt,
            uint256[] memory extensions
        )
    {
        // 0x0f: name, version, chainId and verifyingContract are used, salt and extensions are not.
        return (hex"0f", StockStorage.token().name, "1", block.chainid, address(this), 0, new uint256[](0));
    }

    /// @notice Accepts signatures of externally owned accounts only. The nonce makes each usable once.
    function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)
        external
    {
        if (block.timestamp > deadline) revert ExpiredSignature(deadline);
        StockStorage.Token storage token = StockStorage.token();
        uint256 nonce = token.nonces[owner];
        bytes32 content = keccak256(abi.encode(PERMIT_TYPE, owner, spender, value, nonce, deadline));
        address signer = ecrecover(keccak256(abi.encodePacked(hex"1901", DOMAIN_SEPARATOR(), content)), v, r, s);
        if (signer == address(0) || signer != owner) revert InvalidSigner(signer, owner);
        token.nonces[owner] = nonce + 1;
        approveChecked(owner, spender, value);
    }
}
