// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ERC20} from "./ERC20.sol";

/// @title A plain token of fixed supply behind an EIP-1167 clone: the long tail and the launchpad's tokens.
contract CloneToken is ERC20 {
    error AlreadyBorn();

    /// @notice Names the token and mints its whole supply, once.
    function born(string calldata name_, string calldata symbol_, uint256 supply, address holder) external {
        if (totalSupply != 0 || address(this).code.length > 100) revert AlreadyBorn();
        _name = name_;
        _symbol = symbol_;
        _mint(holder, supply);
    }
}
