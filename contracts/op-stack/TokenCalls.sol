// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// A token of layer 1 on layer 2, in the interface of before Bedrock.
interface BridgedToken {
    function l1Token() external view returns (address);
    function mint(address to, uint256 amount) external;
    function burn(address from, uint256 amount) external;
}

/// A token of layer 1 on layer 2.
interface MintableToken {
    function remoteToken() external view returns (address);
    function bridge() external returns (address);
    function mint(address to, uint256 amount) external;
    function burn(address from, uint256 amount) external;
}

interface Transfers {
    function supportsInterface(bytes4 id) external view returns (bool);
    function transfer(address to, uint256 amount) external returns (bool);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
}

/// @title Calls of ERC-20 tokens
/// @notice Calls of any token, with the checks and errors of version 4 of OpenZeppelin's ERC165Checker and SafeERC20.
library TokenCalls {
    uint256 private constant QUERY_GAS = 30_000;

    function isMintable(address token) internal view returns (bool) {
        return hasInterface(token, type(BridgedToken).interfaceId) || hasInterface(token, type(MintableToken).interfaceId);
    }

    /// The token of layer 1 that a mintable one stands for.
    function remoteTokenOf(address token) internal view returns (address) {
        bool isOlder = hasInterface(token, type(BridgedToken).interfaceId);
        return isOlder ? BridgedToken(token).l1Token() : MintableToken(token).remoteToken();
    }

    function transfer(address token, address to, uint256 amount) internal {
        run(token, abi.encodeCall(Transfers.transfer, (to, amount)));
    }

    function transferFrom(address token, address from, address to, uint256 amount) internal {
        run(token, abi.encodeCall(Transfers.transferFrom, (from, to, amount)));
    }

    /// Tokens may return nothing instead of true.
    function run(address token, bytes memory data) private {
        require(token.code.length > 0, "Address: call to non-contract");
        (bool isOk, bytes memory result) = token.call(data);
        if (!isOk) {
            require(result.length > 0, "SafeERC20: low-level call failed");
            assembly {
                revert(add(result, 32), mload(result))
            }
        }
        if (result.length > 0) {
            require(abi.decode(result, (bool)), "SafeERC20: ERC20 operation did not succeed");
        }
    }

    /// ERC-165: a contract that answers for every interface supports none.
    function hasInterface(address token, bytes4 id) private view returns (bool) {
        return answers(token, 0x01ffc9a7) && !answers(token, 0xffffffff) && answers(token, id);
    }

    function answers(address token, bytes4 id) private view returns (bool) {
        bytes memory query = abi.encodeCall(Transfers.supportsInterface, (id));
        (bool isOk, bytes memory result) = token.staticcall{gas: QUERY_GAS}(query);
        return isOk && result.length >= 32 && abi.decode(result, (uint256)) > 0;
    }
}
